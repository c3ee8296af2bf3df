// RoPE: one pair of channels as arrows on a circle, every pair in a table, and the sum that the score is made of.

function start(data) {
  const SIDE = 210, half = data.q.length / 2;
  const state = { i: data.i, j: data.j, both: 0, pair: data.pair, base: data.base };
  const reach = Math.max(...[data.q, data.k].flatMap((x) => [...Array(half).keys()].map((m) => Math.hypot(x[m], x[m + half]))), 1e-9);
  const theta = (m) => state.base ** (-m / half);
  const turn = (x, m, p) => {
    const [a, b, angle] = [x[m], x[m + half], p * theta(m)];
    return [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
  };
  const zero = (x) => (Math.abs(x) < 1e-12 ? 0 : x);
  const part = (m) => {
    const q = turn(data.q, m, state.i + state.both), k = turn(data.k, m, state.j + state.both);
    const product = zero(q[0] * k[0] + q[1] * k[1]), cross = zero(q[0] * k[1] - q[1] * k[0]);
    return { q, k, product, between: Math.atan2(cross, product) };
  };

  const controls = el("div", { class: "rp-controls" },
    slider("query position i", { min: 0, max: data.largest, step: 1, value: state.i }, (v) => set({ i: v })),
    slider("key position j", { min: 0, max: data.largest, step: 1, value: state.j }, (v) => set({ j: v })),
    slider("move both by", { min: 0, max: 200, step: 1, value: 0 }, (v) => set({ both: v })),
    choice("pair", [...Array(half).keys()].map((m) => [m, `${m}: channels ${m} and ${m + half}`]), state.pair, (v) => set({ pair: Number(v) })),
    choice("base", data.bases.map((b) => [b, b]), state.base, (v) => set({ base: Number(v) })));
  const arrow = (name) => el("div", { class: `rp-arrow rp-${name}` });
  const arrows = { q0: arrow("q0"), k0: arrow("k0"), q: arrow("q"), k: arrow("k") };
  const wedge = el("div", { class: "rp-wedge" });
  const circle = el("div", { class: "rp-circle", role: "img" }, wedge, ...Object.values(arrows));
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  const table = el("table", { class: "rp-tight" });
  const total = el("p", { class: "rp-total" });

  function set(changed) {
    Object.assign(state, changed);
    draw();
  }
  // The y axis points up on paper and down on a page: a turn to the left is a negative CSS angle.
  function point(node, [a, b]) {
    const length = Math.hypot(a, b) / reach * (SIDE / 2 - 6);
    node.style.width = `${length.toFixed(1)}px`;
    node.style.transform = `rotate(${(-Math.atan2(b, a)).toFixed(4)}rad)`;
    node.style.visibility = length < 0.5 ? "hidden" : "visible";
  }

  function draw() {
    const m = state.pair, now = part(m), i = state.i + state.both, j = state.j + state.both;
    point(arrows.q0, [data.q[m], data.q[m + half]]);
    point(arrows.k0, [data.k[m], data.k[m + half]]);
    point(arrows.q, now.q);
    point(arrows.k, now.k);
    const start = Math.PI / 2 - Math.atan2(now.q[1], now.q[0]) - Math.max(now.between, 0);
    wedge.style.background = `conic-gradient(from ${start.toFixed(4)}rad, #e9ddf5 0 ${Math.abs(now.between).toFixed(4)}rad, transparent 0)`;
    const was = Math.atan2(data.k[m + half], data.k[m]) - Math.atan2(data.q[m + half], data.q[m]);
    const offset = state.j - state.i, lengths = [data.q, data.k].map((x) => Math.hypot(x[m], x[m + half]));
    const angle = was + offset * theta(m);
    circle.setAttribute("aria-label", `Pair ${m}: the query turned by ${number(i * theta(m))} radians, the key by ${number(j * theta(m))}, the angle between them ${number(now.between)}`);
    const t = (x) => number(x, x >= 0.01 ? 4 : 7);
    reading.replaceChildren(
      el("b", {}, `pair ${m}, θ = ${t(theta(m))}`), el("br"),
      `q turns by i · θ = ${i} · ${t(theta(m))} = ${number(i * theta(m))}`, el("br"),
      `k turns by j · θ = ${j} · ${t(theta(m))} = ${number(j * theta(m))}`, el("br"),
      `from q to k: ${number(was)} before any turn, plus (j − i) · θ = ${withSign(offset, 0)} · ${t(theta(m))}: ${number(angle)}`,
      ...(Math.abs(angle - now.between) > 1e-6 ? [` (as drawn ${number(now.between)}, whole turns apart)`] : []), el("br"),
      `product = |q| |k| cos = ${number(lengths[0])} · ${number(lengths[1])} · ${number(Math.cos(angle))} = `, el("b", {}, number(now.product)));
    const all = [...Array(half).keys()].map(part), pair = ([a, b]) => `(${number(a)}, ${number(b)})`;
    table.replaceChildren(
      el("caption", {}, el("b", {}, data.title), el("br"), `query at i = ${i}, key at j = ${j}, offset j − i = ${withSign(offset, 0)}`),
      el("thead", {}, el("tr", {}, ...["pair m", "θ per step", "q turned by iθ", "k turned by jθ", "angle q to k", "product"].map((x) => el("th", { scope: "col" }, x)))),
      el("tbody", {}, ...all.map((one, index) => el("tr", { class: index === m ? "rp-same" : null },
        el("th", { scope: "row" }, String(index)), ...[number(theta(index), 6), pair(one.q), pair(one.k), number(one.between), number(one.product)].map((x) => el("td", {}, x))))));
    const sum = all.reduce((before, one) => before + one.product, 0);
    total.textContent = `turned q · turned k = ${all.map((one) => number(one.product)).join(" + ").replaceAll("+ −", "− ")} = ${number(sum)}. `
      + "Move both: the two turns change, every angle between and every product stays.";
    total.dataset.score = String(sum);
  }

  draw();
  return [controls, el("div", { class: "rp-pair" }, circle, reading), scrolling("Every pair of channels with its product", table), total,
    el("p", { class: "rp-note" }, "Purple: the query; orange: the key; pale: both before the turn. Angles in radians, a positive one turns to the left. Shaded: the angle from query to key.")];
}
