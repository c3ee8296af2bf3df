// The bias explorer: two sliders, a choice and a grid whose cells explain themselves.

function start(data) {
  const state = { n: data.n, scale: data.scale, decay: data.decay, i: Math.min(2, data.n - 1), j: Math.min(4, data.n - 1) };
  const formulaOf = (d) => data.decays[state.decay].formula.replace("{d}", d);
  const bias = (i, j) => -state.scale * data.decays[state.decay].values[Math.abs(j - i)];
  const label = (i) => data.tokens[i] ?? String(i);
  const scaleText = () => String(Number(state.scale.toFixed(2)));

  const controls = el("div", { class: "rp-controls" },
    slider("strength λ", { min: 0, max: 2, step: 0.05, value: state.scale, show: (v) => v.toFixed(2) }, (v) => {
      state.scale = v;
      redraw();
    }),
    slider("tokens n", { min: 2, max: 16, step: 1, value: state.n }, (v) => {
      state.n = v;
      state.i = Math.min(state.i, v - 1);
      state.j = Math.min(state.j, v - 1);
      build();
      redraw();
    }),
    choice("decay", Object.keys(data.decays).map((name) => [name, name]), state.decay, (v) => {
      state.decay = v;
      redraw();
    }));
  const formula = el("span", { class: "rp-formula" });
  const caption = el("caption", {}, el("b", {}, data.title), el("br"), formula);
  const table = el("table", { role: "grid", "aria-label": "Bias for every query and key; arrow keys move" });
  const frame = el("div", { class: "rp-scroll" }, table);
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  const note = el("p", { class: "rp-note" },
    "Point at a cell, tap it, or walk with the arrow keys; its whole diagonal shares one offset and one value. ",
    "The colour shows what the bias leaves of a weight: white leaves all of it (e⁰ = 1), full blue leaves nothing.");
  let cells = [];

  // Only a new n needs new cells; every other change repaints the ones that are there.
  function build() {
    table.className = state.n > 10 ? "rp-tight" : "";
    const range = [...Array(state.n).keys()];
    const head = el("tr", {}, el("td", { class: "rp-note" }, state.n > 10 ? "" : "query\u00a0↓ key\u00a0→"),
      ...range.map((j) => el("th", { scope: "col" }, label(j))));
    cells = range.map((i) => range.map((j) => el("td", { class: "rp-cell", "data-i": i, "data-j": j, tabindex: "-1" })));
    const rows = cells.map((row, i) => el("tr", {}, el("th", { scope: "row" }, label(i)), ...row));
    table.replaceChildren(caption, el("thead", {}, head), el("tbody", {}, ...rows));
  }

  function redraw() {
    // Four decimals where there is room; sixteen columns fit a narrow page with four or five letters in each.
    const largest = -bias(0, state.n - 1);
    const digits = state.n <= 6 ? 4 : state.n <= 8 ? 3 : largest < 10 ? 2 : largest < 100 ? 1 : 0;
    // All that a cell shows depends on its distance alone, so n texts and colours serve all n² cells.
    const faces = cells.map((_, d) => [number(bias(0, d), digits), colours("signed", Math.exp(bias(0, d)) - 1)]);
    cells.forEach((row, i) => row.forEach((cell, j) => {
      [cell.textContent, cell.style] = faces[Math.abs(j - i)];
    }));
    formula.textContent = `B[i, j] = −${scaleText()} · ${formulaOf("|j − i|")}`;
    mark();
  }

  function mark() {
    const { i, j } = state;
    for (const cell of table.querySelectorAll(".rp-same")) {
      cell.classList.remove("rp-same", "rp-chosen");
      cell.setAttribute("tabindex", "-1");
    }
    cells.forEach((row, r) => row[r + j - i]?.classList.add("rp-same"));
    cells[i][j].classList.add("rp-chosen");
    cells[i][j].setAttribute("tabindex", "0"); // one stop for the Tab key, arrows inside
    const value = bias(i, j);
    reading.replaceChildren(
      `query “${label(i)}” (i = ${i}), key “${label(j)}” (j = ${j}): offset ${withSign(j - i, 0)}, `,
      el("b", {}, `−${scaleText()} · ${formulaOf(Math.abs(j - i))} = ${number(value)}`),
      ". Before the row is normalised it multiplies the weight by e", el("sup", {}, number(value)), ` = ${number(Math.exp(value))}.`);
  }

  const choose = (event) => {
    const cell = event.target.closest(".rp-cell");
    if (!cell || (state.i === +cell.dataset.i && state.j === +cell.dataset.j)) return;
    [state.i, state.j] = [+cell.dataset.i, +cell.dataset.j];
    mark();
  };
  table.addEventListener("pointerover", choose);
  table.addEventListener("click", choose);
  table.addEventListener("focusin", choose);
  table.addEventListener("keydown", (event) => {
    const last = state.n - 1;
    const to = {
      ArrowUp: [state.i - 1, state.j], ArrowDown: [state.i + 1, state.j],
      ArrowLeft: [state.i, state.j - 1], ArrowRight: [state.i, state.j + 1],
      Home: [state.i, 0], End: [state.i, last],
    }[event.key];
    if (!to) return;
    event.preventDefault(); // the page must not scroll under the reader
    const clip = (x) => Math.min(Math.max(x, 0), last);
    cells[clip(to[0])][clip(to[1])].focus();
  });

  build();
  redraw();
  return [controls, frame, reading, note];
}
