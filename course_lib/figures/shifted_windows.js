// Shifted windows in four steps. A patch keeps its number and the letter of its piece; only its place changes.

function start(data) {
  const state = { w: data.window, s: data.shift, step: 0, y: 0, x: 0 }; // y, x: the chosen patch
  const range = (n) => [...Array(n).keys()];
  const n = () => 2 * state.w;
  const moved = () => state.step >= 2;
  const home = (r) => (moved() ? (r + state.s) % n() : r); // the row (or column) in the image of what stands at r
  const there = (p) => (moved() ? (p - state.s + n()) % n() : p);
  const band = (p) => (p < state.s ? 0 : p < state.s + state.w ? 1 : 2);
  const piece = (y, x) => 3 * band(y) + band(x);
  const windowOf = (p) => Math.floor(((p - state.s + n()) % n()) / state.w);
  const border = (r) => (r - (state.step === 1 ? state.s : 0)) % state.w === 0 && r > 0;

  const steps = data.steps.map(([name], k) => el("button", { onclick: () => { state.step = k; build(); } }, `${k + 1} ${name}`));
  const shift = slider("shift", { min: 1, max: data.window - 1, step: 1, value: state.s }, (v) => { state.s = v; build(); });
  const controls = el("div", { class: "rp-controls" },
    slider("window W", { min: data.sizes[0], max: data.sizes[1], step: 1, value: state.w }, (v) => {
      state.w = v;
      if (state.s >= v) {
        shift.querySelector("input").value = v - 1;
        shift.querySelector("input").dispatchEvent(new Event("input"));
      }
      [state.y, state.x] = [state.y, state.x].map((p) => Math.min(p, n() - 1));
      build();
    }), shift);
  const says = el("p", { class: "rp-step" });
  const grid = el("table", { role: "grid", "aria-label": "Patches of the image; arrow keys move" });
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  let cells = [];

  function build() {
    shift.querySelector("input").max = state.w - 1;
    for (const [k, button] of steps.entries()) button.setAttribute("aria-pressed", String(k === state.step));
    says.textContent = data.steps[state.step][1].replaceAll("{w}", state.w).replaceAll("{s}", state.s);
    cells = range(n()).map((r) => range(n()).map((c) => {
      const [y, x] = [home(r), home(c)], letter = state.step ? ` ${"ABCDEFGHI"[piece(y, x)]}` : "";
      const cell = el("td", { class: "rp-cell", "data-y": y, "data-x": x, tabindex: "-1" }, `${y * n() + x}${letter}`);
      cell.classList.toggle("rp-left", border(c));
      cell.classList.toggle("rp-top", border(r));
      return cell;
    }));
    grid.replaceChildren(el("tbody", {}, ...cells.map((line) => el("tr", {}, ...line))));
    mark();
  }

  function mark() {
    const { y, x, w, s, step } = state, own = piece(y, x);
    let sees = 0;
    for (const cell of cells.flat()) {
      const [a, b] = [Number(cell.dataset.y), Number(cell.dataset.x)], here = a === y && b === x;
      const together = step ? windowOf(a) === windowOf(y) && windowOf(b) === windowOf(x)
        : Math.floor(a / w) === Math.floor(y / w) && Math.floor(b / w) === Math.floor(x / w);
      const seen = together && (!step || piece(a, b) === own);
      sees += seen;
      cell.style.backgroundColor = step === 0 ? (seen ? data.pieces[5] : "#ffffff")
        : step < 3 || seen ? data.pieces[piece(a, b)] : "#ffffff";
      cell.classList.toggle("rp-hidden", step === 3 && together && !seen);
      cell.classList.toggle("rp-chosen", here);
      cell.setAttribute("tabindex", here ? "0" : "-1"); // one stop for the Tab key, arrows inside
    }
    const from = `patch ${y * n() + x} at (${y}, ${x})`, to = moved() ? `, rolled to (${there(y)}, ${there(x)})` : "";
    const mine = step ? `piece ${"ABCDEFGHI"[own]}` : "its window";
    const rest = step === 3 ? `; ${w * w - sees || "no"} patches of its window are hidden from it` : "";
    reading.textContent = `${from}${to}: sees the ${sees} ${sees === 1 ? "patch" : "patches"} of ${mine}, itself among them${rest}.`
      .replace("the 1 patch of", "only").replace(/only (piece .), itself among them/, "only itself, $1");
  }

  const choose = (event) => { // by click alone: on the way to a button the pointer crosses other patches
    const cell = event.target.closest(".rp-cell");
    if (!cell) return;
    [state.y, state.x] = [Number(cell.dataset.y), Number(cell.dataset.x)];
    mark();
  };
  for (const kind of ["click", "focusin"]) grid.addEventListener(kind, choose);
  grid.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault(); // the page must not scroll under the reader
    cells[there(state.y) + step[0]]?.[there(state.x) + step[1]]?.focus();
  });

  build();
  return [el("p", { class: "rp-title" }, el("b", {}, data.title)), controls, el("div", { class: "rp-controls" }, ...steps), says, grid, reading,
    el("p", { class: "rp-note" }, "Click a patch, tap it, or walk with the arrow keys, then go through the steps. Patches keep their numbers, and from step 2 on the letter of their piece.")];
}
