// Swin's index: a W × W window with the two offsets of every key, and beside it the table whose rows they take.

function start(data) {
  const state = { w: data.window, q: data.query, k: 0, row: null };
  const range = (n) => [...Array(n).keys()];
  const signed = (r) => withSign(r, 0);
  const place = (p) => [Math.floor(p / state.w), p % state.w];
  const offset = (k) => { // from the query
    const [here, there] = [place(state.q), place(k)];
    return [there[0] - here[0], there[1] - here[1]];
  };
  const wide = () => 2 * state.w - 1;
  const index = ([row, column]) => (row + state.w - 1) * wide() + column + state.w - 1;
  const offsetOf = (row) => [Math.floor(row / wide()) - state.w + 1, row % wide() - state.w + 1];
  const colour = (row) => colours("signed", row / (2 * state.w * (state.w - 1)) - 1);

  const controls = el("div", { class: "rp-controls" },
    slider("window W", { min: data.sizes[0], max: data.sizes[1], step: 1, value: state.w }, (v) => {
      const stay = (p) => Math.min(Math.floor(p / state.w), v - 1) * v + Math.min(p % state.w, v - 1); // same place
      [state.w, state.q, state.k, state.row, held] = [v, stay(state.q), stay(state.k), null, null];
      build();
    }));
  const grid = el("table", { role: "grid", "aria-label": "Patches of the window; arrow keys choose the key, Enter or Space makes it the query" });
  const table = el("table", { role: "grid", class: "rp-rows", "aria-label": "Rows of the table by offset; arrow keys move" });
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  let cells = [], rows = [], held = null; // held: the key chosen by a click or by the keys

  function build() {
    const { w } = state;
    cells = range(w * w).map((p) => el("td", { class: "rp-cell", "data-p": p, tabindex: "-1" }));
    grid.replaceChildren(
      el("caption", {}, el("b", {}, data.title), el("br"), "(Δrow, Δcolumn) from the query, and the table row"),
      el("thead", {}, el("tr", {}, el("td", {}), ...range(w).map((c) => el("th", { scope: "col" }, `column ${c}`)))),
      el("tbody", {}, ...range(w).map((r) => el("tr", {}, el("th", { scope: "row" }, `row ${r}`), ...cells.slice(r * w, r * w + w)))));
    rows = range(wide() ** 2).map((row) => el("td", { class: "rp-cell", "data-row": row, tabindex: "-1", style: colour(row) }, String(row)));
    const heads = range(wide()).map((c) => signed(c - w + 1));
    table.replaceChildren(
      el("caption", {}, el("b", {}, "The table"), el("br"), `(2 · ${w} − 1)² = ${wide() ** 2} rows, one per pair of offsets`),
      el("thead", {}, el("tr", {}, el("td", { class: "rp-note" }, "Δrow ↓\nΔcolumn →"), ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...heads.map((head, r) => el("tr", {}, el("th", { scope: "row" }, head), ...rows.slice(r * wide(), r * wide() + wide())))));
    mark();
  }

  function mark() {
    const { w, q, k, row } = state, used = new Set(range(w * w).map((p) => index(offset(p))));
    const chosen = row ?? index(offset(k)), [dr, dc] = offsetOf(chosen);
    for (const [p, cell] of cells.entries()) {
      const [r, c] = offset(p), here = index([r, c]);
      cell.textContent = `(${signed(r)}, ${signed(c)})\n${here}${p === q ? " query" : ""}`;
      cell.setAttribute("style", colour(here));
      cell.setAttribute("tabindex", p === k ? "0" : "-1"); // one stop for the Tab key, arrows inside
      cell.classList.toggle("rp-query", p === q);
      cell.classList.toggle("rp-chosen", here === chosen);
    }
    for (const [r, cell] of rows.entries()) {
      cell.classList.toggle("rp-same", used.has(r));
      cell.classList.toggle("rp-chosen", r === chosen);
      cell.setAttribute("tabindex", r === chosen ? "0" : "-1");
    }
    const count = (w - Math.abs(dr)) * (w - Math.abs(dc));
    const sum = `(${signed(dr)} + ${w - 1}) · ${wide()} + (${signed(dc)} + ${w - 1}) = `;
    const [qr, qc] = place(q), [kr, kc] = place(k);
    reading.replaceChildren(...(row !== null
      ? [el("b", {}, `row ${row}`), ` = ${sum.slice(0, -3)}: offset (${signed(dr)}, ${signed(dc)}), taken by `
        + `${count} of ${w ** 4} pairs, (${w} − ${Math.abs(dr)}) · (${w} − ${Math.abs(dc)}); `
        + (used.has(row) ? "one of them from this query." : "none of them from this query.")]
      : [`query ${q} at (${qr}, ${qc}), key ${k} at (${kr}, ${kc}): Δrow = ${kr} − ${qr} = ${signed(dr)}, `
        + `Δcolumn = ${kc} − ${qc} = ${signed(dc)}; ${sum}`, el("b", {}, `row ${chosen}`), "."]));
  }

  // By click alone: on its way to another place the pointer crosses other patches.
  const choose = (event) => {
    const cell = event.target.closest(".rp-cell");
    if (!cell) return;
    const p = cell.dataset.p && Number(cell.dataset.p);
    if (cell.dataset.row) [state.row, held] = [Number(cell.dataset.row), null];
    else [state.k, state.row] = [p, null];
    if (event.type === "click" && cell.dataset.p) {
      if (held === p) state.q = p; // a second click on the key
      held = p;
    }
    mark();
  };
  for (const target of [grid, table]) for (const kind of ["click", "focusin"]) target.addEventListener(kind, choose);
  // A step up, down, left or right in a square of `size` cells, from cell `at`, kept inside.
  const walk = (square, size, at) => (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) {
      const n = size(), [r, c] = [Math.floor(at() / n) + step[0], at() % n + step[1]];
      if (r >= 0 && c >= 0 && r < n && c < n) square()[r * n + c].focus();
      held = event.target.dataset.p ? state.k : null;
    } else if (event.key === "Enter" || event.key === " ") {
      if (event.target.dataset.p) state.q = state.k;
      mark();
    } else return;
    event.preventDefault(); // the page must not scroll under the reader
  };
  grid.addEventListener("keydown", walk(() => cells, () => state.w, () => state.k));
  table.addEventListener("keydown", walk(() => rows, wide, () => state.row));

  build();
  return [controls, reading, el("div", { class: "rp-pair" }, grid, table),
    el("p", { class: "rp-note" }, "Click or tap a patch to make it the key, and once more to make it the query. By keyboard: arrow keys, then Enter or Space. "
      + "The rows outlined in the table are those this query reads.")];
}
