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

  // A value, and in its tables what is new against the value before; more decimals are not another number.
  function shown([name, rows], old) {
    const node = el("div", { class: "rp-value-of", "data-name": name });
    node.innerHTML = rows.map((pieces) => pieces.join(">")).join("<tr");
    if (old) {
      const [was, is] = [shown([name, old]), node].map((value) => [...value.querySelectorAll("td")]);
      if (was.length === is.length) is.forEach((cell, k) => cell.classList.toggle("rp-new", differ(was[k], cell)));
    }
    return node;
  }
  const number = (cell) => Number(cell.textContent.replace("−", "-"));
  const differ = (old, cell) => old.textContent !== cell.textContent && number(old) !== number(cell);

  const panel = el("div", { class: "rp-values", role: "group", "aria-label": "values at this step", tabindex: "-1" });

  function fill(s) {
    const [, , changes, error] = steps[s], known = before(s);
    const parts = changes.map((change) => shown(change, known[change[0]]));
    if (error) parts.push(el("p", { class: "rp-error" }, `✗ raised ${error}`));
    if (!parts.length) parts.push(el("p", { class: "rp-note" }, "No variable changed here."));
    for (const [name] of changes) delete known[name];
    if (Object.keys(known).length) {
      const summary = el("summary", {}, `unchanged here: ${Object.keys(known).join(", ")}`);
      const values = Object.entries(known).map((value) => shown(value));
      parts.push(el("details", { class: "rp-known" }, summary, el("div", { class: "rp-items" }, ...values)));
    }
    const held = panel.contains(document.activeElement);
    panel.replaceChildren(...parts);
    if (held) panel.focus(); // so that n and p go on
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
