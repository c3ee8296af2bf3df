// ALiBi's slopes: a row per head with both formulas, its bias at some distances, and in words where its slope comes from.

function start(data) {
  const state = { heads: data.heads, formula: data.formula, h: Math.min(9, data.heads) };
  const plain = (h, H) => 2 ** (-8 * h / H);
  const lower = () => 2 ** Math.floor(Math.log2(state.heads));
  // Heads beyond the lower power of two take the 1st, 3rd, 5th … slope of twice as many heads.
  const code = (h) => h <= lower() ? plain(h, lower()) : plain(2 * (h - lower()) - 1, 2 * lower());
  const slope = (h) => state.formula === "code" ? code(h) : plain(h, state.heads);
  const differs = (h) => Math.abs(code(h) / plain(h, state.heads) - 1) > 1e-9;
  const heads = () => [...Array(state.heads).keys()].map((h) => h + 1);

  const controls = el("div", { class: "rp-controls" },
    slider("heads", { min: 1, max: 64, step: 1, value: state.heads }, (v) => {
      state.heads = v;
      state.h = Math.min(state.h, v);
      build();
    }),
    choice("formula", Object.entries(data.formulas), state.formula, (v) => {
      state.formula = v;
      build();
    }));
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  const facts = el("p", { class: "rp-facts" });
  const table = el("table", { role: "grid", class: "rp-tight", "aria-label": "Slope and bias of every head; arrow keys move" });
  let rows = [];

  function build() {
    rows = heads().map((h) => el("tr", { "data-h": h },
      el("th", { scope: "row" }, String(h)),
      el("td", { class: "rp-cell", tabindex: "-1" }, number(code(h))),
      el("td", {}, number(plain(h, state.heads))),
      ...data.distances.map((d) => el("td", { style: colours("weight", Math.exp(-slope(h) * d)) }, number(-slope(h) * d, 2)))));
    for (const row of rows) row.classList.toggle("rp-differs", differs(Number(row.dataset.h)));
    table.replaceChildren(
      el("caption", {}, el("b", {}, data.title), el("br"), `bias −m · d at the distance d, with the slopes of ${data.formulas[state.formula]}`),
      el("thead", {}, el("tr", {}, ...["head h", "m, code", "m, formula", ...data.distances.map((d) => `d = ${d}`)].map((x) => el("th", { scope: "col" }, x)))),
      el("tbody", {}, ...rows));
    const H = state.heads, count = heads().filter(differs).length;
    facts.textContent = count ? `${H} is no power of two: the two formulas differ in ${count} of ${H} heads (bold).`
      : `${H} is a power of two: both formulas give the same slopes.`;
    mark();
  }

  function mark() {
    const { h, heads: H } = state, P = lower(), t = 2 * (h - P) - 1, m = slope(h);
    for (const row of rows) {
      const own = Number(row.dataset.h) === h;
      row.classList.toggle("rp-same", own);
      row.children[1].setAttribute("tabindex", own ? "0" : "-1");
    }
    const why = state.formula === "formula" ? `2^(−8 · ${h} / ${H})`
      : h <= P ? (P === H ? "" : `the slopes of ${P} heads come first, `) + `2^(−8 · ${h} / ${P})`
        : `number ${t} of the slopes of ${2 * P} heads, 2^(−8 · ${t} / ${2 * P})`;
    reading.replaceChildren(el("b", {}, `head ${h} of ${H}`), `: ${why} = ${number(m, 6)}. A key `
      + `${number(1 / m, 1)} tokens back loses 1 in its score: its weight shrinks to 1/e, ${number(100 / Math.E, 1)} %.`);
  }

  let pointer = "";
  const choose = (event) => {
    if (event.type === "pointerover") {
      const before = pointer;
      pointer = `${event.clientX} ${event.clientY}`;
      if (pointer === before) return; // a pointer that rests chooses nothing when the picture changes under it
    }
    const row = event.target.closest("tbody tr");
    if (!row) return;
    state.h = Number(row.dataset.h);
    mark();
  };
  for (const kind of ["pointerover", "click", "focusin"]) table.addEventListener(kind, choose);
  table.addEventListener("keydown", (event) => {
    const to = { ArrowUp: state.h - 1, ArrowDown: state.h + 1, Home: 1, End: state.heads }[event.key];
    if (to === undefined) return;
    event.preventDefault(); // the page must not scroll under the reader
    rows[Math.min(Math.max(to, 1), state.heads) - 1].children[1].focus();
  });

  build();
  return [controls, reading, el("div", { class: "rp-scroll" }, table), facts,
    el("p", { class: "rp-note" }, "Point at a head, tap it, or walk with the arrow keys. The darker a cell, the more of the weight is left.")];
}
