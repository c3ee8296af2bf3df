// Loss over test length: a line with its interval for each scheme, and the table of all numbers as the key to the lines.

function start(data, root) {
  const HEIGHT = 320, TOP = 40, BOTTOM = HEIGHT - 40, LEFT = 44, LINE = 15; // pixels
  const MARKS = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.6-3.6h7.2v7.2h-7.2z", "M0-5L4.8 3.6H-4.8z", "M0-5.2L5.2 0L0 5.2L-5.2 0z",
    "M0 5L4.8-3.6H-4.8z", "M-1.6-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z"];
  const { lengths, home, schemes, y: what } = data, last = lengths.length - 1;
  const state = { panel: 0, on: new Set(schemes.keys()), chosen: null, at: [0, 0], room: 720 };
  const show = (value) => number(value, data.digits);

  // Elements of a drawing are copies of these: a parser knows how they differ from those of a page.
  const seeds = new DOMParser().parseFromString("<svg><g></g><path></path><text></text></svg>", "text/html");
  function draw(tag, props = {}, ...children) {
    const node = document.importNode(seeds.querySelector(tag));
    for (const [name, value] of Object.entries(props)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }
  const path = (name, d) => draw("path", { class: name, d });
  const word = (text, x, y, anchor = "middle", name = "") => draw("text", { x, y, "text-anchor": anchor, class: name }, text);
  const colour = (s) => data.colours[s % data.colours.length];
  const hollow = (s) => s >= data.colours.length ? " rp-hollow" : "";
  const mark = (s, x, y) => draw("path", { class: `rp-mark${hollow(s)}`, d: MARKS[s % MARKS.length], transform: `translate(${x} ${y})` });
  const group = (s, ...parts) => draw("g", { "data-s": s, stroke: colour(s), fill: colour(s) }, ...parts);

  // The panels' tables stand in the static body already: each row gets its switch, each cell its place.
  const panels = data.panels.map(([name, curves], p) => {
    const table = root.querySelectorAll("table")[p];
    const rows = [...table.tBodies[0].rows].map((row, r) => {
      const [s, points] = curves[r], [head, ...cells] = row.cells;
      const box = el("input", { type: "checkbox", onchange: () => toggle(s, box.checked) });
      head.replaceChildren(el("label", {}, box, draw("svg", { width: 26, height: 12, viewBox: "-13 -6 26 12", "aria-hidden": "true" },
        group(s, path(`rp-curve${hollow(s)}`, "M-13 0H13"), mark(s, 0, 0))), schemes[s]));
      head.dataset.at = `${r} ${last}`;
      cells.forEach((cell, i) => {
        cell.className = "rp-cell";
        cell.dataset.at = `${r} ${i}`;
        cell.setAttribute(SUPPRESS, "true");
      });
      return { s, points, row, box, cells };
    });
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", `${name}: every number; arrow keys move`);
    const button = el("button", { type: "button", onclick: () => {
      Object.assign(state, { panel: p, at: [0, 0], chosen: null });
      redraw();
    } }, name);
    return { name, words: root.querySelectorAll("p")[p + 1].textContent, rows, table, button };
  });

  function toggle(s, on) {
    state.on[on ? "add" : "delete"](s);
    redraw();
  }
  const every = (text, on) => el("button", { type: "button", onclick: () => schemes.forEach((_, s) => toggle(s, on)) }, text);
  const choices = (name, buttons) => buttons.length > 1
    ? [el("div", { class: "rp-control", role: "group", "aria-label": name }, el("span", {}, name), ...buttons)] : [];
  const controls = el("div", { class: "rp-controls" }, ...choices("task", panels.map((panel) => panel.button)),
    ...choices("lines", schemes.length > 1 ? [every("all on", true), every("all off", false)] : []));
  const chart = draw("svg", { role: "img" });
  const frame = el("div", {}, chart);
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  const place = el("div", { class: "rp-scroll" });
  let targets = [];

  function redraw() {
    const panel = panels[state.panel];
    for (const other of panels) other.button.setAttribute("aria-pressed", String(other === panel));
    for (const { s, row, box } of panel.rows) {
      box.checked = state.on.has(s);
      row.classList.toggle("rp-off", !box.checked);
    }
    if (place.firstChild !== panel.table) place.replaceChildren(panel.table);
    plot(panel, panel.rows.filter(({ s }) => state.on.has(s)));
    choose(state.chosen);
  }

  function plot(panel, shown) {
    const right = state.room - 7.2 * Math.max(...schemes.map((name) => name.length)) - 38;
    const values = shown.flatMap(({ points }) => points.flat());
    let [low, high] = shown.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
    if (low > 0 && low < high / 4) low = 0; // so near to zero that zero itself should be seen
    const pad = (high - low) / 40 || 0.5;
    [low, high] = [low - pad, high + pad];
    const power = 10 ** Math.floor(Math.log10((high - low) / 6));
    const step = power * [1, 2, 5, 10].find((k) => k * power * 6 >= high - low);
    const x = (i) => LEFT + 10 + (right - LEFT - 20) * Math.log(lengths[i] / lengths[0]) / Math.log(lengths[last] / lengths[0]);
    const y = (value) => BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low);
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++) ticks.push(k * step);
    let free = 0; // a length is written where it does not touch the one before
    const written = lengths.filter((n, i) => x(i) - 3.6 * String(n).length > free && (free = x(i) + 3.6 * String(n).length + 3));

    // Names beside the ends of their lines: where they would touch they make a block around the middle of their ends.
    const blocks = [], sorted = shown.map((row) => ({ ...row, end: y(row.points[last][0]) })).sort((a, b) => a.end - b.end);
    for (const row of sorted) {
      let block = { rows: [row] };
      for (;;) {
        const size = block.rows.length, half = size * LINE / 2, middle = block.rows.reduce((sum, { end }) => sum + end, 0) / size;
        block.top = Math.min(Math.max(middle - half, TOP), BOTTOM + LINE / 2 - 2 * half);
        block.bottom = block.top + 2 * half;
        if (!blocks.length || blocks.at(-1).bottom <= block.top) break;
        block = { rows: [...blocks.pop().rows, ...block.rows] };
      }
      blocks.push(block);
    }

    targets = [];
    const lines = blocks.flatMap(({ rows, top }) => rows.map(({ s, points, end }, k) => {
      const at = top + (k + 0.5) * LINE, along = (side) => points.map((point, i) => `${x(i)} ${y(point[side])}`);
      const r = panel.rows.findIndex((row) => row.s === s);
      points.forEach((point, i) => targets.push([x(i), y(point[0]), r, i]));
      for (const part of [20, 60]) targets.push([right + part, at, r, last]);
      return group(s, path("rp-band", `M${[...along(1), ...along(2).reverse()].join("L")}z`),
        path("rp-bars", points.map((point, i) => `M${x(i)} ${y(point[1])}V${y(point[2])}m-3 0h6M${x(i) - 3} ${y(point[1])}h6`).join("")),
        path("rp-lead", `M${right - 3} ${end}L${right + 13} ${at}`), path(`rp-curve${hollow(s)}`, `M${along(0).join("L")}`),
        ...points.map((point, i) => mark(s, x(i), y(point[0]))), mark(s, right + 20, at), word(schemes[s], right + 29, at + 4, "start", "rp-name"));
    }));
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), middle = (LEFT + right) / 2;
    chart.replaceChildren(path("rp-grid", ticks.map((value) => `M${LEFT} ${y(value)}H${right}`).join("")),
      ...ticks.map((value) => word(number(value, digits), LEFT - 6, y(value) + 4, "end")),
      ...written.map((n) => word(n, x(lengths.indexOf(n)), BOTTOM + 17)),
      word(what, 0, 12, "start"), word("test length (log scale)", middle, BOTTOM + 35),
      path("rp-trained", `M${x(home)} ${TOP - 8}V${BOTTOM}`), word(`trained at ${lengths[home]}`, x(home) - 4, TOP - 12, "start"),
      ...(lines.length ? lines : [word("Every line is switched off.", middle, HEIGHT / 2)]), path("rp-ring", ""));
    for (const [name, value] of [["width", state.room], ["height", HEIGHT],
      ["aria-label", `${panel.name}: lines of the ${what} over the test length; the table below has their numbers`]]) chart.setAttribute(name, value);
  }

  // Nothing chosen: the panel in one sentence. A point: its line comes forward, its cell is framed, words say it.
  function choose(chosen) {
    const { rows, words } = panels[state.panel], [r, i] = chosen || [];
    state.chosen = chosen;
    state.at = chosen || state.at;
    rows.forEach(({ cells }, a) => cells.forEach((cell, b) => {
      cell.classList.toggle("rp-chosen", a === r && b === i);
      cell.tabIndex = a === state.at[0] && b === state.at[1] ? 0 : -1; // one stop for the Tab key, arrows inside
    }));
    const spot = targets.find((target) => target[2] === r && target[3] === i);
    for (const line of chart.querySelectorAll("g")) line.setAttribute("class", !spot ? "" : Number(line.dataset.s) === rows[r].s ? "rp-bright" : "rp-faded");
    chart.querySelector(".rp-ring").setAttribute("d", spot ? `M${spot[0] - 8} ${spot[1]}a8 8 0 1 0 16 0a8 8 0 1 0-16 0z` : "");
    if (!chosen) return reading.replaceChildren(words);
    const { s, points } = rows[r], [mean, low, high] = points[i], base = points[home][0], rise = mean - base, size = show(Math.abs(rise));
    reading.replaceChildren(el("b", {}, `${schemes[s]}, length ${lengths[i]}: ${what} ${show(mean)}`),
      low === high ? ", no spread over the seeds; " : `, from ${show(low)} to ${show(high)} over the seeds; `,
      i === home ? "this is the training length." : Number(size) === 0 ? `the same as at the training length ${lengths[home]}.`
        : `${size} ${rise > 0 ? "above" : "below"} its ${show(base)} at the training length ${lengths[home]}.`,
      spot ? "" : " Its line is switched off.");
  }

  // A pointer that leaves, or rests while the page scrolls below it, must not take the word from the keyboard.
  const placeOf = (node) => node?.closest("[data-at]")?.dataset.at.split(" ").map(Number) ?? null;
  const leave = () => choose(placeOf(place.querySelector(":focus-visible")));
  const listen = (node, kinds, act) => kinds.split(" ").forEach((kind) => node.addEventListener(kind, act));
  let pointer = "";
  listen(frame, "pointermove click", (event) => {
    const box = chart.getBoundingClientRect(), far = (t) => Math.hypot(t[0] - event.clientX + box.left, t[1] - event.clientY + box.top);
    const nearest = targets.reduce((best, t) => far(t) < (best ? far(best) : 60) ? t : best, null);
    nearest ? choose(nearest.slice(2)) : leave();
  });
  listen(place, "pointerover", (event) => {
    const before = pointer;
    pointer = `${event.clientX} ${event.clientY}`;
    if (pointer !== before) choose(placeOf(event.target));
  });
  listen(place, "focusin click", (event) => choose(placeOf(event.target)));
  for (const node of [frame, place]) listen(node, "pointerleave focusout", leave);
  listen(place, "keydown", (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!by || event.target.tagName !== "TD") return;
    event.preventDefault(); // the page must not scroll under the reader
    panels[state.panel].rows[state.at[0] + by[0]]?.cells[state.at[1] + by[1]]?.focus();
  });

  redraw();
  new ResizeObserver(() => {
    if (!frame.clientWidth || frame.clientWidth === state.room) return;
    state.room = frame.clientWidth;
    redraw();
  }).observe(frame);
  return [root.querySelector("p"), controls, frame, reading, place, el("p", { class: "rp-note" },
    "Point at a line, its name or a cell, or walk through the table with the arrow keys. Bars: the interval over seeds. The scale follows the lines that are on.")];
}
