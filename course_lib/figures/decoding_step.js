// Decoding: the grid at one step. Rows above are done, one row is new, the rest is to come.

function start(data) {
  const state = { scheme: data.scheme, step: data.step };
  const n = data.tokens.length, all = [...Array(n).keys()], names = Object.keys(data.entries);
  const colour = (d) => colours("signed", -d / Math.max(n - 1, 1));

  const controls = el("div", { class: "rp-controls" },
    choice("scheme", names.map((name) => [name, name]), state.scheme, (v) => { state.scheme = v; draw(); }),
    slider("past", { min: 0, max: n - 1, step: 1, value: state.step }, (v) => { state.step = v; draw(); }));
  const caption = el("caption"), body = el("tbody");
  const head = el("tr", {}, el("td", { class: "rp-note" }, "query\u00a0↓ key\u00a0→"),
    ...data.tokens.map((token) => el("th", { scope: "col" }, el("span", {}, token), el("br"), el("small", {}))));
  const grid = el("table", {}, caption, el("thead", {}, head), body);
  const others = el("table", { class: "rp-every" });
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });

  function draw() {
    const { scheme, step } = state, entries = data.entries[scheme], [made, kept] = data.says[scheme];
    caption.replaceChildren(el("b", {}, data.title), `: ${scheme}, past = ${step}`);
    for (const [j, cell] of [...head.children].slice(1).entries())
      cell.lastChild.textContent = j < step ? "cached" : j === step ? "new" : "\u00a0";
    body.replaceChildren(...all.map((i) => el("tr", { class: i === step ? "rp-new" : i < step ? "rp-done" : "rp-later" },
      el("th", { scope: "row" }, data.tokens[i] + (i === step ? " (new)" : "")),
      ...all.map((j) => el("td", { style: i === step && j <= i ? colour(i - j) : null }, i <= step && j <= i ? entries[i - j] : "")))));
    others.replaceChildren(el("caption", {}, `The new row of every scheme, query ${data.tokens[step]}`),
      el("tbody", {}, ...names.map((name) => el("tr", { class: name === scheme ? "rp-same" : "" }, el("th", { scope: "row" }, name),
        ...all.slice(0, step + 1).map((j) => el("td", { style: colour(step - j) }, data.entries[name][step - j]))))));
    reading.replaceChildren(el("b", {}, `${step + 1} new score${step ? "s" : ""}`),
      ` of ${(step + 1) * (step + 2) / 2} so far (what is hidden is not counted). Computed at each step: ${made}. In the cache: ${kept}.`);
  }

  draw();
  return [controls, el("div", { class: "rp-pair" }, scrolling("The grid of this scheme", grid), scrolling("The new row of every scheme", others)), reading];
}
