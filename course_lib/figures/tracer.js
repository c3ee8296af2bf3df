// The line tracer: source on the left (above, on a narrow page), the values of the chosen step beside it.

function start(data) {
  const { steps, values, calls, sources, tokens } = data;
  let now = 0;

  // A value that changed in a few cells is stored as those cells; build it from the one before.
  const value = (index) => {
    const found = values[index];
    if (!("of" in found)) return found;
    const base = value(found.of);
    const rows = base.r.map((row) => [...row]);
    for (const [r, c, x] of found.set) rows[r][c] = x;
    return (values[index] = { ...base, r: rows });
  };
  const place = ([call, chunk]) => `${calls[call][0]}.${chunk}`;
  const visits = {};
  steps.forEach((step, s) => (visits[place(step)] ??= []).push(s));
  // What a variable of this call was before step s: the index of its value, or undefined.
  const before = (s, name) => {
    for (let k = s - 1; k >= 0; k--) if (steps[k][0] === steps[s][0] && name in steps[k][2]) return steps[k][2][name];
  };

  const back = el("button", { type: "button", class: "rp-back", onclick: () => show(now - 1) }, "◀ back");
  const next = el("button", { type: "button", class: "rp-next", onclick: () => show(now + 1) }, "step ▶");
  const position = el("span", { class: "rp-position", "aria-live": "polite" });
  const panel = el("div", { class: "rp-values" });
  const lines = {};
  const code = el("div", { class: "rp-code", role: "group", "aria-label": "source lines" });

  function codeLine(source, chunk, [first, text, kind]) {
    const key = `${source}.${chunk}`;
    const own = text.split("\n");
    const shown = kind === "doc" && own.length > 1 ? [own[0] + " …"] : own;
    const body = el("span", { class: "rp-text" }, ...shown.map((line) => {
      const indent = line.length - line.trimStart().length;
      // A long line wraps with a hanging indent, so the shape of the code stays visible.
      return el("span", { style: `padding-left:${indent + 4}ch` }, line.trimStart() || " ");
    }));
    const times = visits[key] ? (visits[key].length > 1 ? `×${visits[key].length}` : "") : kind === "missed" ? "not reached" : "";
    const parts = [el("span", { class: "rp-no" }, String(first)), body, el("span", { class: "rp-tag" }, times)];
    if (!visits[key]) return el("div", { class: `rp-line rp-${kind}` }, ...parts);
    return (lines[key] = el("button", { type: "button", class: "rp-line", "data-line": first, tabindex: "-1", onclick: () => {
      // The first click shows the first visit after this moment; more clicks cycle through the others.
      show(visits[key].find((s) => s > now) ?? visits[key][0]);
    } }, ...parts));
  }
  sources.forEach((source, s) => {
    if (sources.length > 1) code.append(el("p", { class: "rp-note" }, source.name));
    code.append(...source.chunks.map((chunk, c) => codeLine(s, c, chunk)));
  });

  function table(name, packed, old) {
    const shape = packed.s ? ` (${packed.s.join(", ")}${packed.s.length === 1 ? "," : ""})` : "";
    const [kind, dtype] = packed.t.split(", ");
    const about = [kind + shape, dtype, packed.cut].filter(Boolean).join(", ");
    const head = [el("b", {}, name), " ", el("span", { class: "rp-note" }, about)];
    if (packed.items) {
      return el("div", { class: "rp-value-of", "data-name": name }, el("p", {}, ...head),
        el("div", { class: "rp-items" }, ...packed.items.map(([key, item]) => table(name + key, item))));
    }
    if (!packed.r) return el("p", { class: "rp-value-of", "data-name": name }, ...head, " ", el("code", {}, packed.x));
    const flat = packed.r.flat().filter((x) => typeof x !== "string").map(Number);
    const largest = Math.max(...flat.map(Math.abs)) || 1;
    const map = flat.some((x) => x < 0) ? "signed" : "weight";
    const label = (axis, n) => (packed.s.at(axis) === tokens.length ? tokens[n] : String(n));
    const width = packed.r[0]?.length ?? 0;
    const twoAxes = packed.s.length > 1;
    const rows = packed.r.map((row, r) => el("tr", {},
      ...(twoAxes ? [el("th", { scope: "row" }, label(-2, r))] : []),
      ...row.map((x, c) => {
        const isNew = old?.r && old.r.length === packed.r.length && old.r[r].length === width && old.r[r][c] !== x;
        const shown = typeof x === "boolean" ? (x ? "True" : "False") : number(x, packed.d ?? 0);
        const cell = el("td", isNew ? { class: "rp-new" } : {}, shown);
        // "∞" and "nan" come as text; they have no place on a scale.
        cell.style = typeof x === "string" ? "background-color:#d9d9d9;color:#000000" : colours(map, Number(x) / largest);
        return cell;
      })));
    const heads = [...Array(width).keys()].map((c) => el("th", { scope: "col" }, label(-1, c)));
    return el("div", { class: "rp-value-of rp-scroll", "data-name": name },
      el("table", {}, el("caption", {}, ...head),
        el("thead", {}, el("tr", {}, ...(twoAxes ? [el("td")] : []), ...heads)), el("tbody", {}, ...rows)));
  }

  function known(s) {
    const found = {};
    for (let k = 0; k <= s; k++) if (steps[k][0] === steps[s][0]) Object.assign(found, steps[k][2]);
    for (const name of Object.keys(steps[s][2])) delete found[name];
    const names = Object.keys(found);
    if (!names.length) return "";
    const body = el("div", { class: "rp-items" });
    const fold = el("details", { class: "rp-known", ontoggle: () => {
      // Filled when opened: most readers look at what changed.
      if (fold.open && !body.firstChild) body.append(...names.map((name) => table(name, value(found[name]))));
      reachable();
    } }, el("summary", {}, `unchanged here: ${names.join(", ")}`), body);
    return fold;
  }

  function show(s) {
    if (s < 0 || s >= steps.length) return;
    now = s;
    const [call, chunk, changes, returned, error] = steps[s];
    const [source, depth] = calls[call];
    const here = visits[place(steps[s])];
    const first = sources[source].chunks[chunk][0];
    const visit = here.length > 1 ? `, visit ${here.indexOf(s) + 1} of ${here.length}` : "";
    const inside = calls.length > 1 ? `, call ${call + 1} of ${sources[source].name}${depth ? ` (depth ${depth + 1})` : ""}` : "";
    position.textContent = `step ${s + 1} of ${steps.length}: line ${first}${visit}${inside}`;
    back.disabled = s === 0;
    next.disabled = s === steps.length - 1;
    for (const [key, line] of Object.entries(lines)) {
      const on = key === place(steps[s]);
      line.toggleAttribute("aria-current", on);
      if (on) line.setAttribute("aria-current", "step");
      if (on && code.contains(document.activeElement)) line.focus({ preventScroll: true });
      line.setAttribute("tabindex", on ? "0" : "-1"); // one stop for the Tab key, arrows inside
      // Keep the line in sight by scrolling the code alone: scrollIntoView would move the whole notebook.
      if (on && line.offsetTop < code.scrollTop) code.scrollTop = line.offsetTop;
      if (on) code.scrollTop = Math.max(code.scrollTop, line.offsetTop + line.offsetHeight - code.clientHeight);
    }
    const shown = Object.entries(changes).map(([name, index]) => {
      const old = before(s, name);
      return table(name, value(index), old === undefined ? undefined : value(old));
    });
    if (returned !== undefined && returned !== null) shown.push(table("returns", value(returned)));
    if (error) shown.push(el("p", { class: "rp-error" }, `✗ raised ${error}`));
    if (!shown.length) shown.push(el("p", { class: "rp-note" }, "No variable changed here."));
    panel.replaceChildren(...shown, known(s));
    reachable();
  }

  // A table wider than the page scrolls; then, and only then, the keyboard must be able to reach it.
  function reachable() {
    for (const box of panel.querySelectorAll(".rp-scroll")) {
      if (box.scrollWidth <= box.clientWidth || box.tabIndex === 0) continue;
      const marks = { tabindex: "0", role: "region", "aria-label": `values of ${box.dataset.name}`, [SUPPRESS]: "true" };
      for (const [name, mark] of Object.entries(marks)) box.setAttribute(name, mark);
    }
  }

  const all = el("div", { class: "rp-tracer-body" }, code, panel);
  all.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const reached = Object.values(lines);
    const at = reached.indexOf(lines[place(steps[now])]);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to === undefined || !code.contains(document.activeElement)) return;
    event.preventDefault(); // the page must not scroll under the reader
    reached[to]?.click();
  });
  const step = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") show(now + 1);
    if (event.key === "p") show(now - 1);
  };
  const bar = el("div", { class: "rp-controls" }, back, next, position);
  const live = el("div", { onkeydown: step },
    el("p", { class: "rp-title" }, el("b", {}, data.title), " ", el("span", { class: "rp-note" },
      `${data.note} Click a line, or press n and p, or the arrow keys.`)), bar, all);
  show(0);
  new ResizeObserver(reachable).observe(panel); // widths are known once the picture stands on the page, and may change
  return [live];
}
