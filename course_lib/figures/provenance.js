// Where every cell of a skew comes from: a strip of memory whose cuts move, and a table for every step.
// A "place" is a number's index in flat memory, with the zeros: it is the same in every step.

function start(data) {
  const general = data.how === "general", front = general ? 0 : 1, first = general ? 0 : 1;
  const sizes = Object.fromEntries(Object.entries(data.sizes).map(([name, [value]]) => [name, value]));
  let m, phase, resume = 4, chosen, timer, boxes = [], strip = [], grids = [];
  let seen = []; // every element that shows a place, by place

  // --- the same arithmetic as in cuts.py ---
  function model() {
    const n_q = sizes.n_q ?? sizes.n, past = sizes.past ?? sizes.memory ?? 0, n_k = sizes.n_k ?? past + n_q;
    const width = front ? n_k : n_q + n_k - 1, line = width + 1, skip = n_q - 1 + front, size = n_q * line;
    const least = Math.max(past + n_q, n_k - past), longest = sizes.longest || least;
    const low = -(past + n_q - 1), high = low + width - 1;
    const lost = [[low, Math.min(high, -longest)], [Math.max(low, longest), high]].filter(([a, b]) => a <= b).map(([a, b]) => span(a, b));
    return { n_q, n_k, past, width, line, skip, size, least, longest, low, high, lost, rows: 2 * longest - 1, junk: front * n_q * (n_q - 1) / 2,
      cells: n_q * n_k, before: n_q - 1, before_all: n_k - 1, more: n_q + 1, taken: span(low, high), missing: lost.join(" and ") };
  }
  const span = (a, b) => withSign(a, 0) + (a === b ? "" : ` … ${withSign(b, 0)}`);
  const fill = (text) => text.replace(/\{(\w+)\}/g, (_, name) => (typeof m[name] === "number" ? number(m[name], 0) : m[name]));
  const position = (p) => data.tokens[p] ?? `x${p}`;
  const bare = general && !data.tokens.length;
  const query = (i) => (bare ? `q${i}` : position(m.past + i));
  const key = (j) => (bare ? `k${j}` : position(j));
  const shown = (offset) => (data.how === "shift" ? number(-offset, 0) : withSign(offset, 0));
  const source = (p) => {
    const c = (p % m.line) - front;
    return { i: Math.floor(p / m.line), offset: m.low + c, zero: c < 0 || c >= m.width };
  };
  const landing = (p) => {
    const i = Math.floor((p - m.skip) / m.width), j = (p - m.skip) % m.width;
    return p < m.skip || i >= m.n_q ? null : { i, j, kept: j < m.n_k };
  };
  const kept = (p) => landing(p)?.kept;
  const isJunk = (p) => kept(p) && (source(p).zero || source(p).i !== landing(p).i);
  const range = (n, from = 0) => Array.from({ length: n }, (_, k) => from + k);
  const colour = (p) => (source(p).zero ? "" : `background-color:${data.colours[source(p).i]};color:#000000`);

  // --- controls ---
  const sliders = Object.entries(data.sizes).map(([name, [value, min, max, text]]) =>
    slider(text, { min, max, step: 1, value, show: (v) => (v || name !== "longest" ? String(v) : "just enough") }, (v) => {
      sizes[name] = v;
      stop();
      build();
    }));
  const back = el("button", { type: "button", onclick: () => { stop(); go(phase - 1); } }, "◀ back");
  const next = el("button", { type: "button", onclick: () => { stop(); go(phase + 1); } }, "next ▶");
  const play = el("button", { type: "button", onclick: () => {
    if (timer) return stop();
    go(phase < 4 ? phase : first);
    tick();
  } });
  function tick() {
    timer = setTimeout(() => {
      if (!play.isConnected || phase >= 4) return stop();
      go(phase + 1);
      phase < 4 ? tick() : stop();
    }, 2200);
    play.textContent = "pause";
  }
  function stop() {
    clearTimeout(timer);
    timer = 0;
    play.textContent = "play";
  }
  const count = el("b"), says = el("span");
  const sentence = el("p", { class: "rp-step", "aria-live": "polite" }, count, says);
  const memory = el("div", { class: "rp-memory", role: "img" });
  const panel = el("div", { class: "rp-stages" });
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  const verdict = el("p", { class: "rp-verdict" });

  // --- building: only new sizes need it ---
  function face(p, junk) {
    const { i, offset, zero } = source(p);
    return [...(junk ? [el("i", {}, "✗"), " "] : []), ...(zero ? [el("b", {}, "0")] : [el("span", {}, query(i)), " ", el("b", {}, shown(offset))])];
  }

  function table(step, columns, heads, rows, last) {
    const cells = rows.map((row) => row.map((p) => {
      if (p === null) return el("td");
      const junk = last && isJunk(p);
      const look = `rp-cell${source(p).zero ? " rp-zero" : ""}${junk ? " rp-junk" : ""}${step === 3 && !kept(p) ? " rp-out" : ""}`;
      const td = el("td", { class: look, "data-p": p, tabindex: "-1", style: colour(p) }, ...face(p, junk));
      seen[p].push(td);
      return td;
    }));
    grids.push(cells);
    const text = fill(data.stages[step - first]);
    return el("table", { role: "grid", "data-step": step, "aria-label": `${text}; arrow keys move` },
      el("caption", {}, el("span", { class: "rp-no" }, String(step - first + 1)), text),
      el("thead", {}, el("tr", {}, el("td"), ...columns.map((c) => el("th", { scope: "col" }, c)))),
      el("tbody", {}, ...cells.map((row, r) => el("tr", {}, el("th", { scope: "row" }, heads[r]), ...row))));
  }

  function offsetTable() {
    const from = Math.min(m.low, 1 - m.longest), all = range(Math.max(m.high, m.longest - 1) - from + 1, from);
    const there = (o) => Math.abs(o) < m.longest, taken = (o) => o >= m.low && o <= m.high;
    const state = (o) => (there(o) ? (taken(o) ? "✓" : "–") : taken(o) ? "✗" : "");
    return el("table", { "data-step": 0, class: "rp-offsets" },
      el("caption", {}, el("span", { class: "rp-no" }, "1"), fill(data.stages[0])),
      el("thead", {}, el("tr", {}, el("th", { scope: "row" }, "offset"), ...all.map((o) => el("th", { scope: "col" }, withSign(o, 0))))),
      el("tbody", {}, el("tr", {}, el("th", { scope: "row" }, "row"),
        ...all.map((o) => el("td", {}, there(o) ? String(o + m.longest - 1) : ""))),
      el("tr", {}, el("th", { scope: "row" }, "taken"),
        ...all.map((o) => el("td", { "data-offset": o, "data-state": state(o) }, state(o))))));
  }

  function build() {
    m = model();
    seen = range(m.size).map(() => []);
    grids = [];
    const lacking = general && m.lost.length > 0;
    const queries = range(m.n_q).map(query), offsets = range(m.width, m.low).map(shown);
    const lines = range(m.n_q).map((i) => range(m.line, i * m.line));
    const recut = range(m.n_q).map((i) => range(m.width, m.skip + i * m.width));
    const heads = range(m.n_q).map(String);
    if (m.skip) {
      recut.unshift([...Array(m.width - m.skip).fill(null), ...range(m.skip)]);
      heads.unshift("out");
    }
    if (general) {
      recut.push([m.size - 1, ...Array(m.width - 1).fill(null)]);
      heads.push("out");
    }
    panel.replaceChildren(...(general ? [offsetTable()] : []), ...(lacking ? [] : [
      table(1, offsets, queries, lines.map((row) => row.slice(front, front + m.width))),
      table(2, front ? ["zero", ...offsets] : [...offsets, "zero"], queries, lines),
      table(3, range(m.width).map((c) => (c < m.n_k ? String(c) : "out")), heads, recut),
      table(4, range(m.n_k).map(key), queries, range(m.n_q).map((i) => range(m.n_k, m.skip + i * m.width)), true)]));
    strip = range(m.size).map((p) => {
      const node = el("span", { "data-p": p, class: source(p).zero ? "rp-zero" : "", style: colour(p) }, source(p).zero ? "0" : shown(source(p).offset));
      seen[p].push(node);
      return node;
    });
    boxes = range(m.n_q + 2).map((k) => el("span", { class: `rp-box${k < m.n_q ? "" : " rp-left"}`, style: `--wait:${100 * (k % m.n_q)}ms` }, el("span")));
    panel.className = `rp-stages rp-of-${m.line}`;
    const crowd = [[20, "some"], [30, "many"], [48, "very"]].filter(([least]) => m.size > least);
    memory.className = ["rp-memory", ...crowd.map(([, word]) => `rp-${word}`)].join(" "); // no texts where no room is
    memory.replaceChildren(
      el("div", { class: "rp-owners" }, ...queries.map((name) => el("span", {}, name))),
      el("div", { class: "rp-strip" }, ...strip, ...boxes));
    memory.hidden = reading.hidden = lacking;
    verdict.textContent = fill(lacking ? data.short : data.verdict);
    verdict.classList.toggle("rp-lacking", lacking);
    chosen = m.skip + Math.min(2, m.n_q - 1) * m.width;
    go(lacking ? 0 : resume, lacking);
  }

  // --- one step ---
  function go(to, stuck = false) {
    phase = Math.min(Math.max(to, first), 4);
    back.disabled = phase === first || stuck;
    next.disabled = phase === 4 || stuck;
    play.disabled = stuck;
    count.textContent = `Step ${phase - first + 1} of ${5 - first}. `;
    says.textContent = fill(data.says[phase - first]);
    for (const stage of panel.children) {
      stage.classList.toggle("rp-later", stage.dataset.step > phase);
      stage.classList.toggle("rp-now", +stage.dataset.step === phase);
    }
    if (stuck) return;
    resume = phase;
    // How far along the strip a place begins: before the zeros are put in they take no room.
    const total = phase > 1 ? m.size : m.n_q * m.width;
    const at = (p) => (100 * (phase > 1 ? p : p - Math.floor((p + m.width * front) / m.line))) / total;
    const cut = (k) => (phase < 3 ? [k * m.line, (k + 1) * m.line]
      : [m.skip + k * m.width, m.skip + k * m.width + (phase < 4 ? m.width : m.n_k)]);
    boxes.forEach((box, k) => {
      const [from, end] = k < m.n_q ? cut(k)
        : k === m.n_q ? [0, phase < 3 ? 0 : m.skip] : [phase < 3 || front ? m.size : m.size - 1, m.size];
      box.style.left = `${at(from)}%`;
      box.style.width = `${at(end) - at(from)}%`;
      box.hidden = from === end;
      box.firstChild.textContent = k < m.n_q ? (phase < 4 ? `row ${k}` : query(k)) : k === m.n_q ? "left out" : "";
    });
    strip.forEach((node, p) => {
      node.classList.toggle("rp-gone", phase < 2 && source(p).zero);
      node.classList.toggle("rp-out", phase === 4 && !kept(p));
      node.classList.toggle("rp-junk", phase === 4 && Boolean(isJunk(p)));
    });
    memory.classList.toggle("rp-hidden", phase < 1);
    memory.setAttribute("aria-label", `The line of numbers: ${fill(data.stages[Math.max(phase, 1) - first])}`);
    mark();
  }

  // --- one number, found in every step ---
  function mark() {
    for (const node of [...panel.querySelectorAll(".rp-chosen"), ...memory.querySelectorAll(".rp-chosen")]) node.classList.remove("rp-chosen");
    for (const node of seen[chosen]) node.classList.add("rp-chosen");
    const { i, offset, zero } = source(chosen), to = landing(chosen);
    panel.querySelector(`[data-offset="${zero ? "" : offset}"]`)?.classList.add("rp-chosen");
    for (const cells of grids) { // one stop for the Tab key in each table, arrows inside
      const all = cells.flat().filter((cell) => cell.dataset.p);
      const stop = all.find((cell) => +cell.dataset.p === chosen) ?? all[0];
      for (const cell of all) cell.setAttribute("tabindex", cell === stop ? "0" : "-1");
    }
    const word = data.how === "shift" ? "distance" : "offset";
    const who = zero ? ["the zero ", el("b", {}, `${front ? "in front of" : "behind"} query “${query(i)}”`)]
      : ["query ", el("b", {}, `“${query(i)}”`), ` (i = ${i}), `, el("b", {}, `${word} ${shown(offset)}`)];
    const place = `: flat place ${chosen}. With the zeros it is row ${i}, column ${chosen % m.line}`;
    const cutAgain = to ? `; cut again, row ${to.i}, column ${to.j}. ` : ". ";
    const end = kept(chosen)
      ? `In the grid: query “${query(to.i)}”, key “${key(to.j)}”, where ${word} ${shown(to.j - m.past - to.i)} belongs` +
        (isJunk(chosen) ? ": junk, the mask must hide it." : ".")
      : zero ? "Left out." : `Left out: its key would be number ${number(m.past + i + offset, 0)}, and there is none.`;
    reading.replaceChildren(...who, place + cutAgain + end);
  }

  const choose = (event) => {
    const cell = event.target.closest("[data-p]");
    if (!cell || +cell.dataset.p === chosen) return;
    chosen = +cell.dataset.p;
    mark();
  };
  for (const box of [panel, memory]) {
    for (const kind of ["pointerover", "click", "focusin"]) box.addEventListener(kind, choose);
  }
  panel.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const cells = move && grids.find((rows) => rows.flat().includes(event.target));
    if (!cells) return;
    event.preventDefault(); // the page must not scroll under the reader
    const r = cells.findIndex((row) => row.includes(event.target));
    const to = cells[r + move[0]]?.[cells[r].indexOf(event.target) + move[1]];
    if (to?.dataset.p) to.focus();
  });

  stop();
  build();
  return [el("p", { class: "rp-title" }, el("b", {}, data.title)),
    el("div", { class: "rp-controls" }, ...sliders),
    el("div", { class: "rp-controls rp-steps" }, back, next, play), sentence, memory, panel, reading, verdict,
    el("p", { class: "rp-note" }, data.note)];
}
