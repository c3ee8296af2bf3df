// The comparison: the static table stays as it is; its cells can be chosen, and what was found about one is read below.

function start(_, root) {
  const table = root.querySelector(".rp-compare"), group = table.parentElement;
  const lines = [...table.tBodies[0].rows], cells = lines.map((line) => [...line.cells].slice(1));
  const names = [...table.tHead.rows[0].cells].slice(1).map((head) => head.textContent);
  const hows = [...root.querySelectorAll(".rp-how")], notes = [...root.querySelectorAll(".rp-notes")];
  const backing = [...root.querySelectorAll(".rp-backing li")].map((item) => item.textContent);
  const reading = el("div", { class: "rp-reading", "aria-live": "polite" });
  const state = { i: Math.floor(lines.length / 3) + 1, j: 0 }; // in sight on narrow pages, where the table scrolls

  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", "Schemes and what was found of them; arrow keys move");
  group.removeAttribute("tabindex"); // its cells take the focus, and scroll it
  cells.forEach((line, i) => line.forEach((cell, j) => {
    cell.classList.add("rp-cell");
    cell.dataset.at = `${i} ${j}`;
    cell.setAttribute(SUPPRESS, "true");
  }));

  function mark() {
    const { i, j } = state, cell = cells[i][j];
    for (const [a, line] of cells.entries()) for (const [b, other] of line.entries()) {
      other.classList.toggle("rp-chosen", a === i && b === j);
      other.setAttribute("tabindex", a === i && b === j ? "0" : "-1"); // one stop for the Tab key, arrows inside
    }
    const copy = (node) => [...node.cloneNode(true).childNodes];
    const numbers = cell.querySelector("sup").textContent.split(" ").map(Number);
    const parts = [...cell.cloneNode(true).childNodes].filter((node) => node.nodeName !== "SUP");
    const answer = el("span", {}, ...parts.map((node) => node.nodeName === "BR" ? " " : node));
    const note = copy(notes[j].children[i]).slice(1); // without the name of the scheme
    reading.replaceChildren(
      el("p", {}, el("b", {}, `${lines[i].cells[0].textContent}, ${names[j]}`), " ", answer),
      el("p", {}, ...copy(hows[j])), el("p", {}, ...note),
      el("p", { class: "rp-note" }, `Backed by ${numbers.map((n) => `${backing[n - 1]} (${n})`).join("; ")}`));
  }

  const choose = (event) => {
    const cell = event.target.closest(".rp-cell");
    if (!cell) return;
    [state.i, state.j] = cell.dataset.at.split(" ").map(Number);
    mark();
  };
  for (const kind of ["click", "focusin"]) table.addEventListener(kind, choose);
  const limit = (x, last) => Math.min(Math.max(x, 0), last);
  table.addEventListener("keydown", (event) => {
    const { i, j } = state, last = names.length - 1;
    const to = { ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
      Home: [i, 0], End: [i, last] }[event.key];
    if (!to) return;
    event.preventDefault(); // the page must not scroll under the reader
    cells[limit(to[0], cells.length - 1)][limit(to[1], last)].focus();
  });

  mark();
  const hint = el("p", { class: "rp-note" }, "Tap a cell, or walk with the arrow keys: below stands how it was found, and what backs it.");
  return [group, root.querySelector(":scope > .rp-note"), hint, reading, ...root.querySelectorAll("details")];
}
