// The clip grid: n × n offsets, the table row that each takes, and beside it the table with its counts.

function start(data) {
  const state = { n: data.n, clip: data.clip, i: data.n - 1, j: 0, row: null };
  const label = (i) => data.tokens[i] ?? String(i);
  const clipped = (r) => Math.min(Math.max(r, -state.clip), state.clip);
  const colour = (r) => colours("signed", state.clip ? r / state.clip : 0);
  const range = (from, to) => [...Array(to - from + 1).keys()].map((k) => k + from);
  const signed = (r) => withSign(r, 0);
  const vector = (r) => `a[${signed(r)}]`;

  const controls = el("div", { class: "rp-controls" },
    slider("tokens n", { min: 2, max: 12, step: 1, value: state.n }, (v) => {
      state.n = v;
      state.i = Math.min(state.i, v - 1);
      state.j = Math.min(state.j, v - 1);
      build();
    }),
    slider("clip", { min: 0, max: 8, step: 1, value: state.clip }, (v) => {
      state.clip = v;
      state.row = state.row === null ? null : clipped(state.row);
      build();
    }));
  const grid = el("table", { role: "grid", "aria-label": "Offset of every query and key; arrow keys move" });
  const table = el("table", { role: "grid", class: "rp-rows", "aria-label": "Rows of the table; arrow keys move" });
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  const facts = el("p", { class: "rp-facts" });
  let cells = [], rows = [];

  function build() {
    const { n, clip } = state, all = range(0, n - 1), arrow = n <= 6 ? " →\u00a0" : "\n→\u00a0";
    grid.className = n > 6 ? "rp-tight rp-two" : "";
    cells = all.map((i) => all.map((j) => {
      const r = clipped(j - i);
      return el("td", { class: "rp-cell", "data-i": i, "data-j": j, tabindex: "-1", style: colour(r) },
        signed(j - i) + (r === j - i ? "" : arrow + signed(r)));
    }));
    grid.replaceChildren(
      el("caption", {}, el("b", {}, data.title), el("br"), `offset j − i, clipped to ${clip ? `−${clip} … ${clip}` : 0}`),
      el("thead", {}, el("tr", {}, el("td", { class: "rp-note" }, n > 6 ? "" : "query\u00a0↓\nkey\u00a0→"),
        ...all.map((j) => el("th", { scope: "col" }, label(j))))),
      el("tbody", {}, ...cells.map((line, i) => el("tr", {}, el("th", { scope: "row" }, label(i)), ...line))));

    // A row inside the table serves one diagonal; the two ends collect all that lie beyond them.
    const count = (r) => all.flatMap((i) => all.map((j) => clipped(j - i) === r)).filter(Boolean).length;
    const takes = (r) => {
      const from = r === -clip ? 1 - n : r, to = r === clip ? n - 1 : r;
      return from > n - 1 || to < 1 - n || from > to ? "none here" : from === to ? signed(r) : `${signed(from)} … ${signed(to)}`;
    };
    rows = range(-clip, clip).map((r) => el("tr", {}, el("th", { scope: "row" }, String(r + clip)),
      el("td", { class: "rp-cell", "data-r": r, tabindex: "-1", style: colour(r) }, vector(r)),
      el("td", {}, takes(r)), el("td", {}, String(count(r)))));
    table.classList.toggle("rp-tight", clip > 3);
    table.replaceChildren(
      el("caption", {}, el("b", {}, "The table"), el("br"), `2 · ${clip} + 1 = ${2 * clip + 1} row${clip ? "s" : ""}`),
      el("thead", {}, el("tr", {}, ...["row", "vector", "offsets", "cells"].map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...rows));
    const far = Math.max(n - clip, 0) * Math.max(n - clip - 1, 0), size = (r) => Math.max(n - Math.abs(r), 0);
    facts.textContent = (far ? `${far} of ${n * n} cells are really clipped: those whose offset exceeds ${clip} in size, (n − clip)(n − clip − 1). `
      : `No offset exceeds ${clip} in size, so no cell is clipped. `)
      + (clip ? `Offset r has n − |r| cells; ${size(clip) ? `row ${vector(clip)} has ${size(clip)} of its own and collects ${far / 2} more.` : "the rows beyond ±(n − 1) have none."}` : "");
    mark();
  }

  function mark() {
    const { n, clip, i, j } = state, chosen = state.row ?? clipped(j - i);
    for (const [line, row] of cells.entries()) for (const [column, cell] of row.entries()) {
      const own = state.row === null && line === i && column === j;
      // The outline runs around the whole set: a side is drawn where the neighbour takes another row.
      const inside = (a, b) => a >= 0 && b >= 0 && a < n && b < n && clipped(b - a) === chosen;
      const sides = [[line - 1, column, "0 3px"], [line + 1, column, "0 -3px"], [line, column - 1, "3px 0"], [line, column + 1, "-3px 0"]];
      const drawn = sides.filter(([a, b]) => !inside(a, b)).map(([, , shift]) => `inset ${shift} #7a3ea8`);
      cell.style.boxShadow = own ? "inset 0 0 0 3px #3d1560" : inside(line, column) ? drawn.join(",") : "";
      cell.classList.toggle("rp-same", inside(line, column));
      cell.classList.toggle("rp-chosen", own);
      cell.setAttribute("tabindex", line === i && column === j ? "0" : "-1"); // one stop for the Tab key, arrows inside
    }
    for (const row of rows) {
      const own = Number(row.children[1].dataset.r) === chosen;
      row.classList.toggle("rp-same", own);
      row.children[1].setAttribute("tabindex", own ? "0" : "-1");
    }
    const r = j - i, takes = `row ${chosen + clip} of the table (${vector(chosen)})`;
    reading.replaceChildren(...(state.row !== null
      ? [el("b", {}, takes), `: ${rows[chosen + clip].children[3].textContent} cells use it, offsets: ${rows[chosen + clip].children[2].textContent}.`]
      : [`query ${label(i)}, key ${label(j)}: offset ${signed(r)}, `,
        r !== chosen ? `beyond ${signed(chosen)}`
          : clip && Math.abs(r) === clip ? `which reaches ${signed(r)} and does not exceed it` : `within ±${clip}`,
        ", so it takes ", el("b", {}, takes), "."]));
  }

  let pointer = "";
  const choose = (event) => {
    if (event.type === "pointerover") {
      const before = pointer;
      pointer = `${event.clientX} ${event.clientY}`;
      if (pointer === before) return; // a pointer that rests chooses nothing when the picture changes under it
    }
    const cell = event.target.closest(".rp-cell") ?? event.target.closest(".rp-rows tbody tr")?.children[1];
    if (!cell) return;
    if (cell.dataset.r) state.row = Number(cell.dataset.r);
    else [state.i, state.j, state.row] = [Number(cell.dataset.i), Number(cell.dataset.j), null];
    mark();
  };
  for (const target of [grid, table]) for (const kind of ["pointerover", "click", "focusin"]) target.addEventListener(kind, choose);
  const walk = (moves, go) => (event) => {
    const to = moves()[event.key];
    if (!to) return;
    event.preventDefault(); // the page must not scroll under the reader
    go(to);
  };
  const limit = (x, last) => Math.min(Math.max(x, 0), last);
  grid.addEventListener("keydown", walk(() => ({
    ArrowUp: [state.i - 1, state.j], ArrowDown: [state.i + 1, state.j],
    ArrowLeft: [state.i, state.j - 1], ArrowRight: [state.i, state.j + 1],
    Home: [state.i, 0], End: [state.i, state.n - 1],
  }), ([i, j]) => cells[limit(i, state.n - 1)][limit(j, state.n - 1)].focus()));
  table.addEventListener("keydown", walk(() => ({
    ArrowUp: [state.row - 1], ArrowDown: [state.row + 1], Home: [-state.clip], End: [state.clip],
  }), ([r]) => rows[limit(r + state.clip, 2 * state.clip)].children[1].focus()));

  build();
  return [controls, reading, el("div", { class: "rp-pair" }, el("div", { class: "rp-scroll" }, grid), el("div", { class: "rp-scroll" }, table)), facts,
    el("p", { class: "rp-note" }, "Point at a cell or a table row, tap it, or walk with the arrow keys; all cells that take the same row are outlined.")];
}
