// The line tracer: source on the left (above, on a narrow page), the values of the chosen step beside it.

function start({ title, note, chunks, calls, pool }) {
  let now = 0;
  const steps = unpooled(pool), visits = {};
  steps.forEach(([, chunk], s) => (visits[chunk] ??= []).push(s));
  // The variables of a step's call before it, with their values.
  const before = (s) =>
    Object.fromEntries(steps.slice(0, s).flatMap(([call, , changes]) => (call === steps[s][0] ? changes : [])));

  // --- the source -------------------------------------------------------------------------------------------------

  const lines = {};
  const code = el("div", { class: "rp-code", role: "group", "aria-label": "source lines" });

  function codeLine([first, text, kind], chunk) {
    const own = text.split("\n"), shown = kind === "doc" && own.length > 1 ? [own[0] + " …"] : own;
    // A long line wraps with a hanging indent, so the shape of the code stays visible.
    const indented = shown.map((line) =>
      el("span", { style: `padding-left:${line.length - line.trimStart().length + 4}ch` }, line.trimStart() || " "));
    const here = visits[chunk], missed = kind === "missed" && !here;
    const tag = missed ? "not reached" : here?.length > 1 ? `×${here.length}` : "";
    const parts = [["no", String(first)], ["text", ...indented], ["tag", tag]].map(([name, ...inside]) =>
      el("span", { class: `rp-${name}` }, ...inside));
    if (!here) return el("div", { class: `rp-line rp-${kind}` }, ...parts);
    // The first click shows the first visit after this moment; more clicks cycle through the others.
    const onclick = () => show(here.find((s) => s > now) ?? here[0]);
    return (lines[chunk] = el("button", { type: "button", class: "rp-line", tabindex: "-1", onclick }, ...parts));
  }
  code.append(...chunks.map(codeLine));

  // --- the values -------------------------------------------------------------------------------------------------

  function shown(name, [type, kind, content], old) {
    const look = { class: "rp-value-of", "data-name": name };
    const head = [el("b", {}, name), " ", el("span", { class: "rp-note" }, type)];
    if (kind === "text") return el("p", look, ...head, " ", el("code", {}, content));
    if (kind === "items") {
      return el("div", look, el("p", {}, ...head), el("div", { class: "rp-items" }, ...content.map(all)));
    }
    const [, , form, cells] = content, [, columns, names] = form;
    const [, , oldForm, oldCells] = old?.[1] === kind ? old[2] : [], same = String(oldForm) === String(form);
    const cell = ([text, , style = ""], r, c) =>
      el("td", { class: same && differ(oldCells[r][c][0], text) ? "rp-new" : null, style }, text);
    const rows = cells.map((line, r) => el("tr", {},
      ...(names.length ? [el("th", { scope: "row" }, names[r])] : []), ...line.map((x, c) => cell(x, r, c))));
    const heads = columns.map((column) => el("th", { scope: "col" }, column));
    const top = el("thead", {}, el("tr", {}, ...(names.length ? [el("td")] : []), ...heads));
    return el("div", look, el("table", {}, el("caption", {}, ...head), top, el("tbody", {}, ...rows)));
  }
  const all = ([name, value]) => shown(name, value);
  // More decimals are not another number.
  const number = (text) => Number(text.replace("−", "-"));
  const differ = (old, text) => old !== text && number(old) !== number(text);

  // The values of one step; a table wider than the page scrolls with them.
  const panel = el("div", { class: "rp-values", role: "group", "aria-label": "values at this step", tabindex: "0" });

  function fill(s) {
    const [, , changes, returned, error] = steps[s], known = before(s);
    const parts = changes.map(([name, value]) => shown(name, value, known[name]));
    if (returned) parts.push(shown("returns", returned));
    if (error) parts.push(el("p", { class: "rp-error" }, `✗ raised ${error}`));
    if (!parts.length) parts.push(el("p", { class: "rp-note" }, "No variable changed here."));
    const others = Object.entries(known).filter(([name]) => !changes.some(([changed]) => changed === name));
    if (others.length) {
      const summary = el("summary", {}, `unchanged here: ${others.map(([name]) => name).join(", ")}`);
      parts.push(el("details", { class: "rp-known" }, summary, el("div", { class: "rp-items" }, ...others.map(all))));
    }
    panel.replaceChildren(...parts);
  }

  // --- stepping ---------------------------------------------------------------------------------------------------

  const back = el("button", { type: "button", onclick: () => show(now - 1) }, "◀ back");
  const next = el("button", { type: "button", onclick: () => show(now + 1) }, "step ▶");
  const position = el("span", { class: "rp-position", "aria-live": "polite" });

  function show(s) {
    if (s < 0 || s >= steps.length) return;
    now = s;
    const [call, chunk] = steps[s], here = visits[chunk];
    const visit = here.length > 1 ? `, visit ${here.indexOf(s) + 1} of ${here.length}` : "";
    const inside = calls > 1 ? `, call ${call + 1} of ${calls}` : "";
    position.textContent = `step ${s + 1} of ${steps.length}: line ${chunks[chunk][0]}${visit}${inside}`;
    back.disabled = s === 0;
    next.disabled = s === steps.length - 1;
    for (const line of Object.values(lines)) {
      line.removeAttribute("aria-current");
      line.setAttribute("tabindex", "-1"); // one stop for the Tab key, arrows inside
    }
    const line = lines[chunk];
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
    reached[reached.indexOf(lines[steps[now][1]]) + step]?.click();
  };
  show(0);
  const hint = `${note} Click a line, or press n and p, or the arrow keys.`;
  const heading = el("p", { class: "rp-title" }, el("b", {}, title), " ", el("span", { class: "rp-note" }, hint));
  return [el("div", { onkeydown }, heading,
    el("div", { class: "rp-controls" }, back, next, position), el("div", { class: "rp-tracer-body" }, code, panel))];
}
