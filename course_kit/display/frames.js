// Every picture of frames.py: sliders, choices and cells set a stop each, and the frame of these stops is shown.
// Nothing is computed here: what a frame shows, Python has written down.

function start({ title, sliders, first, counts, pool }) {
  const frames = unpooled(pool), state = [...first], grids = [];
  let told = null; // the cell that was read out last: one that rests under the pointer is not read out again
  const body = el("div", { class: "rp-tables" });
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  const frame = () => frames[state.reduce((at, stop, slider) => at * counts[slider] + stop, 0)];
  const sum = () => { reading.textContent = frame()[1].join(" "); };
  const set = (slider, stop) => { state[slider] = stop; draw(); };
  const controls = sliders.map(([name, kind, labels], k) => CONTROLS[kind](name, labels, (stop) => set(k, stop)));

  function draw() {
    const tables = frame()[0];
    while (grids.length > tables.length) grids.pop().node.remove();
    tables.forEach((table, place) => {
      const old = grids[place];
      if (old?.shows(table)) return old.fill(table);
      grids[place] = table.length === 2 ? drawing() : grid(table, { set, tell });
      grids[place].fill(table);
      if (old) old.node.replaceWith(grids[place].node);
      else body.append(grids[place].node);
    });
    grids.forEach((shown) => (shown.mark(state), shown.outline(null)));
    controls.forEach((control, index) => control.show(state[index]));
    sum();
  }

  // Read a cell out and outline the cells of its group; without a cell, say what the whole frame says.
  function tell(cell, words, group = null) {
    if (cell && cell === told) return;
    told = cell;
    if (cell) reading.textContent = words;
    else sum();
    grids.forEach((shown) => shown.outline(group));
  }

  body.addEventListener("pointerleave", () => tell(null));
  body.addEventListener("focusout", (event) => body.contains(event.relatedTarget) || tell(null));
  draw();
  const row = controls.flatMap((control) => control.node ?? []);
  const chooses = body.querySelector(".rp-choosing") ? " Where the pointer is a hand, a click or Enter chooses." : "";
  const hint = `Point at a cell, or walk with the arrow keys.${chooses}`;
  const heading = title ? [el("p", { class: "rp-title" }, el("b", {}, title))] : [];
  return [...heading, el("div", { class: "rp-controls" }, ...row), reading, body, el("p", { class: "rp-note" }, hint)];
}

// --- controls: each takes its name, the labels of its stops and what to do; it is a node and show(stop) -------------

const CONTROLS = {
  slider(name, labels, set) {
    const max = labels.length - 1, oninput = () => set(Number(input.value));
    const input = el("input", { type: "range", min: 0, max, oninput });
    const value = el("span", { class: "rp-value", "aria-hidden": "true" });
    const show = (stop) => {
      input.value = stop;
      input.setAttribute("aria-valuetext", labels[stop]);
      value.textContent = labels[stop];
    };
    return { node: labelled(name, input, value), show };
  },

  list(name, labels, set) {
    const options = labels.map((label) => el("option", {}, label));
    const select = el("select", { onchange: () => set(select.selectedIndex) }, ...options);
    return { node: labelled(name, select), show: (stop) => { select.selectedIndex = stop; } };
  },

  buttons(name, labels, set) {
    const buttons = labels.map((label, stop) => el("button", { type: "button", onclick: () => set(stop) }, label));
    const look = { class: "rp-control rp-choice", role: "group", "aria-label": name };
    const show = (stop) => buttons.forEach((button, own) => button.setAttribute("aria-pressed", own === stop));
    return { node: el("div", look, el("span", {}, name), ...buttons), show };
  },

  cells: () => ({ show() {} }),
};

const labelled = (name, ...parts) => el("label", { class: "rp-control" }, el("span", {}, name), ...parts);

// --- a drawing: an image with its words; a table beside it has the numbers ------------------------------------------

function drawing() {
  const node = el("img", { class: "rp-drawing" }), nothing = () => {};
  const fill = ([parts, words]) => {
    node.setAttribute("src", `data:image/svg+xml,${encodeURIComponent(parts.join(""))}`);
    node.setAttribute("alt", words);
  };
  return { node, fill, shows: (other) => other.length === 2, mark: nothing, outline: nothing };
}

// --- a table whose cells can be pointed at, walked with the arrow keys and, where they choose, clicked --------------

function grid(first, { set, tell }) {
  const form = first[2], [corner, columns, rows, sentence, [slider, stops], track] = form;
  const cells = rows.map(() => columns.map(() => el("td", { class: "rp-cell", tabindex: "-1" })));
  const heads = columns.map((name) => el("th", { scope: "col" }, name));
  const title = el("b", {}), note = el("span", { class: "rp-note" });
  const node = el("table", { role: "grid", class: stops ? "rp-choosing" : null },
    el("caption", {}, title, el("br"), note),
    el("thead", {}, el("tr", {}, el("td", { class: "rp-note" }, corner), ...heads)),
    el("tbody", {}, ...cells.map((line, i) => el("tr", {}, el("th", { scope: "row" }, rows[i]), ...line))));
  const all = cells.flat();
  let table = null, stop = all[0]; // one cell is a stop of the Tab key; the arrow keys move it

  const at = (cell) => [Math.floor(all.indexOf(cell) / columns.length), all.indexOf(cell) % columns.length];
  const data = (cell) => at(cell).reduce((line, place) => line[place], table[3]);
  const move = (cell) => {
    stop.setAttribute("tabindex", "-1");
    stop = cell;
    stop.setAttribute("tabindex", "0");
  };
  const read = (cell) => {
    const [i, j] = at(cell), [text, , , words, group] = data(cell);
    const parts = { row: rows[i], column: columns[j], text: words || text, group };
    tell(cell, sentence.replace(/\{(\w+)\}/g, (_, part) => parts[part]), group);
  };
  const choose = (cell) => stops && set(slider, stops[all.indexOf(cell)]);

  const on = (kind, act) => node.addEventListener(kind, (event) => {
    const cell = event.target.closest(".rp-cell");
    if (cell) act(cell, event);
  });
  move(stop);
  on("pointerover", read);
  on("focusin", (cell) => (move(cell), read(cell)));
  on("click", choose);
  on("keydown", (cell, event) => {
    const [i, j] = at(cell), line = cells[i];
    const next = { ArrowUp: cells[i - 1]?.[j], ArrowDown: cells[i + 1]?.[j],
      ArrowLeft: line[j - 1], ArrowRight: line[j + 1], Home: line[0], End: line.at(-1) };
    const chosen = event.key === "Enter" || event.key === " ";
    if (!chosen && !(event.key in next)) return;
    event.preventDefault(); // the page must not scroll under the reader
    if (chosen) choose(cell);
    else next[event.key]?.focus();
  });

  return {
    node: el("div", { class: "rp-scroll" }, node),
    // Whether a table has the same form: then its cells are filled again, and the focus stays where it is.
    shows: (other) => other[2] === form,
    fill(other) {
      if (other === table) return;
      table = other;
      title.textContent = table[0];
      note.textContent = table[1];
      node.setAttribute("aria-label", `${table[0]}; arrow keys move${stops ? ", Enter chooses" : ""}`);
      for (const cell of all) {
        const [text, bar, style = ""] = data(cell);
        cell.setAttribute("style", style);
        cell.replaceChildren(text, ...(bar ? [el("div", { style: track }, el("div", { style: bar.join("") }))] : []));
      }
    },
    mark(state) {
      if (stops) all.forEach((cell, k) => {
        cell.setAttribute("aria-selected", stops[k] === state[slider]);
        if (stops[k] === state[slider] && !node.contains(document.activeElement)) move(cell);
      });
    },
    outline: (group) => all.forEach((cell) => cell.classList.toggle("rp-same", data(cell)[4] === group)),
  };
}
