// The line tracer: source on the left (above, on a narrow page), the values of the chosen step beside it.

function number(value, digits = 4) {
  if (typeof value === "string") return value;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "∞" : "−∞";
  const shown = value.toFixed(digits);
  return (Number(shown) === 0 ? shown.replace("-", "") : shown).replace("-", "−");
}

function start({ title, note, steps, values, calls, sources, tokens, shades }) {
  let now = 0;

  // A value that changed in a few cells is stored as those cells; build it from the one before.
  const value = (index) => {
    const found = values[index];
    if (!("of" in found)) return found;
    const base = value(found.of), rows = base.r.map((row) => [...row]);
    for (const [r, c, x] of found.set) rows[r][c] = x;
    return (values[index] = { ...base, r: rows });
  };
  const place = ([call, chunk]) => `${calls[call][0]}.${chunk}`;
  const visits = {};
  steps.forEach((step, s) => (visits[place(step)] ??= []).push(s));
  // The variables of a step's call before it: the index of the value of each.
  const before = (s) => {
    const own = steps.slice(0, s).filter(([call]) => call === steps[s][0]);
    return Object.assign({}, ...own.map(([, , changes]) => changes));
  };

  // --- the source -------------------------------------------------------------------------------------------------

  const lines = {};
  const code = el("div", { class: "rp-code", role: "group", "aria-label": "source lines" });

  function codeLine(key, [first, text, kind]) {
    const own = text.split("\n"), shown = kind === "doc" && own.length > 1 ? [own[0] + " …"] : own;
    // A long line wraps with a hanging indent, so the shape of the code stays visible.
    const indented = shown.map((line) =>
      el("span", { style: `padding-left:${line.length - line.trimStart().length + 4}ch` }, line.trimStart() || " "));
    const here = visits[key], missed = kind === "missed" && !here;
    const tag = missed ? "not reached" : here?.length > 1 ? `×${here.length}` : "";
    const parts = [["no", String(first)], ["text", ...indented], ["tag", tag]].map(([name, ...inside]) =>
      el("span", { class: `rp-${name}` }, ...inside));
    if (!here) return el("div", { class: `rp-line rp-${kind}` }, ...parts);
    // The first click shows the first visit after this moment; more clicks cycle through the others.
    const onclick = () => show(here.find((s) => s > now) ?? here[0]);
    return (lines[key] = el("button", { type: "button", class: "rp-line", tabindex: "-1", onclick }, ...parts));
  }
  sources.forEach((source, s) => {
    if (sources.length > 1) code.append(el("p", { class: "rp-note" }, source.name));
    code.append(...source.chunks.map((chunk, c) => codeLine(`${s}.${c}`, chunk)));
  });

  // --- the values -------------------------------------------------------------------------------------------------

  function shown(name, packed, old) {
    const look = { class: "rp-value-of", "data-name": name };
    const head = [el("b", {}, name), " ", el("span", { class: "rp-note" }, packed.t)];
    if (packed.items) {
      const items = packed.items.map(([key, item]) => shown(name + key, item));
      return el("div", look, el("p", {}, ...head), el("div", { class: "rp-items" }, ...items));
    }
    if (!packed.r) return el("p", look, ...head, " ", el("code", {}, packed.x));
    const numbers = packed.r.flat().filter((x) => typeof x !== "string").map(Number);
    const largest = Math.max(...numbers.map(Math.abs)) || 1;
    const most = shades.weight.length - 1, colours = numbers.some((x) => x < 0) ? shades.signed : shades.weight;
    const zero = colours.length - 1 - most; // the place of zero in this palette
    const shade = (x) => (typeof x === "string" ? shades.none : colours[zero + Math.round(most * x / largest)]);
    const text = (x) => (typeof x === "boolean" ? (x ? "True" : "False") : number(x, packed.d));
    const label = (axis, n) => (packed.s.at(axis) === tokens.length ? tokens[n] : String(n));
    const twoAxes = packed.s.length > 1, same = old?.r && String(old.s) === String(packed.s);
    const cell = (x, r, c) =>
      el("td", { class: same && old.r[r][c] !== x ? "rp-new" : null, style: shade(x) }, text(x));
    const rows = packed.r.map((row, r) => el("tr", {}, ...(twoAxes ? [el("th", { scope: "row" }, label(-2, r))] : []),
      ...row.map((x, c) => cell(x, r, c))));
    const heads = (packed.r[0] ?? []).map((_, c) => el("th", { scope: "col" }, label(-1, c)));
    const top = el("thead", {}, el("tr", {}, ...(twoAxes ? [el("td")] : []), ...heads));
    return el("div", look, el("table", {}, el("caption", {}, ...head), top, el("tbody", {}, ...rows)));
  }

  // The values of one step; a table wider than the page scrolls with them.
  const panel = el("div", { class: "rp-values", role: "group", "aria-label": "values at this step", tabindex: "0" });

  function fill(s) {
    const [, , changes, returned, error] = steps[s], known = before(s);
    const parts = Object.entries(changes).map(([name, index]) =>
      shown(name, value(index), name in known ? value(known[name]) : null));
    if (returned !== null) parts.push(shown("returns", value(returned)));
    if (error) parts.push(el("p", { class: "rp-error" }, `✗ raised ${error}`));
    if (!parts.length) parts.push(el("p", { class: "rp-note" }, "No variable changed here."));
    const others = Object.keys(known).filter((name) => !(name in changes));
    if (others.length) {
      const items = el("div", { class: "rp-items" }, ...others.map((name) => shown(name, value(known[name]))));
      const summary = el("summary", {}, `unchanged here: ${others.join(", ")}`);
      parts.push(el("details", { class: "rp-known" }, summary, items));
    }
    panel.replaceChildren(...parts);
  }

  // --- stepping ---------------------------------------------------------------------------------------------------

  const back = el("button", { type: "button", class: "rp-back", onclick: () => show(now - 1) }, "◀ back");
  const next = el("button", { type: "button", class: "rp-next", onclick: () => show(now + 1) }, "step ▶");
  const position = el("span", { class: "rp-position", "aria-live": "polite" });

  function show(s) {
    if (s < 0 || s >= steps.length) return;
    now = s;
    const [call, chunk] = steps[s], [source, depth] = calls[call], here = visits[place(steps[s])];
    const visit = here.length > 1 ? `, visit ${here.indexOf(s) + 1} of ${here.length}` : "";
    const deep = depth ? ` (depth ${depth + 1})` : "", { name, chunks } = sources[source];
    const inside = calls.length > 1 ? `, call ${call + 1} of ${name}${deep}` : "";
    position.textContent = `step ${s + 1} of ${steps.length}: line ${chunks[chunk][0]}${visit}${inside}`;
    back.disabled = s === 0;
    next.disabled = s === steps.length - 1;
    for (const line of Object.values(lines)) {
      line.removeAttribute("aria-current");
      line.setAttribute("tabindex", "-1"); // one stop for the Tab key, arrows inside
    }
    const line = lines[place(steps[s])];
    line.setAttribute("aria-current", "step");
    line.setAttribute("tabindex", "0");
    if (code.contains(document.activeElement)) line.focus({ preventScroll: true });
    // Keep the line in sight by scrolling the code alone: scrollIntoView would move the whole notebook.
    const top = Math.min(code.scrollTop, line.offsetTop);
    code.scrollTop = Math.max(top, line.offsetTop + line.offsetHeight - code.clientHeight);
    fill(s);
  }

  const onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") show(now + 1);
    if (event.key === "p") show(now - 1);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !code.contains(document.activeElement)) return;
    event.preventDefault(); // the page must not scroll under the reader
    const reached = Object.values(lines);
    reached[reached.indexOf(lines[place(steps[now])]) + step]?.click();
  };
  show(0);
  const hint = `${note} Click a line, or press n and p, or the arrow keys.`;
  const heading = el("p", { class: "rp-title" }, el("b", {}, title), " ", el("span", { class: "rp-note" }, hint));
  return [el("div", { onkeydown }, heading,
    el("div", { class: "rp-controls" }, back, next, position), el("div", { class: "rp-tracer-body" }, code, panel))];
}
