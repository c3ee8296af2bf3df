// One query's attention without and with the bias. The softmax is computed here, so λ moves without a kernel.

function softmax(row) {
  const largest = Math.max(...row); // taken off first, so that e^x cannot overflow
  const e = row.map((x) => Math.exp(x - largest));
  const total = e.reduce((sum, x) => sum + x, 0);
  return e.map((x) => x / total);
}

function start(data) {
  const n = data.tokens.length;
  const SAME = 1e-12; // two weights closer than this are called the same
  const state = { query: data.query, scale: data.scale };
  const percent = (x) => `${(100 * x).toFixed(3)}%`;

  const picks = data.tokens.map((token, i) => el("button", { type: "button", "data-query": i, onclick: () => {
    state.query = i;
    redraw();
  } }, token));
  const controls = el("div", { class: "rp-controls" },
    el("div", { class: "rp-control rp-tokens", role: "group", "aria-label": "query token" }, el("span", {}, "query"), ...picks),
    slider("strength λ", { min: 0, max: 3, step: 0.05, value: state.scale, show: (v) => v.toFixed(2) }, (v) => {
      state.scale = v;
      redraw();
    }));

  const bar = (kind) => {
    const fill = el("span", { class: `rp-fill rp-${kind}` });
    const text = el("span", { class: "rp-amount" });
    return { fill, text, node: el("span", { class: "rp-bar" }, el("span", { class: "rp-track", "aria-hidden": "true" }, fill), text) };
  };
  const rows = data.tokens.map((token, j) => {
    const before = bar("before"), after = bar("after"), factor = bar("factor");
    const mean = el("span", { class: "rp-mean", "aria-hidden": "true" });
    factor.node.firstChild.append(mean);
    factor.text.classList.add("rp-side");
    const offset = el("td", { class: "rp-offset" });
    const change = el("td", { class: "rp-change" });
    const node = el("tr", { "data-key": j }, el("th", { scope: "row" }, token), offset,
      el("td", { class: "rp-weights" }, before.node, after.node), el("td", { class: "rp-factor-cell" }, factor.node), change);
    return { before, after, factor, mean, offset, change, node };
  });
  const formula = el("span", { class: "rp-formula" });
  const eToB = () => el("span", {}, "e", el("sup", {}, "B"));
  const head = (text, note) => el("th", { scope: "col" }, text, el("br"), el("span", { class: "rp-note" }, note));
  const table = el("table", {}, el("caption", {}, el("b", {}, data.title), el("br"), formula),
    el("thead", {}, el("tr", {}, head("key", "j"), head("offset", "j − i"),
      head("weight", "grey: without bias, teal: with bias"), head(eToB(), "line: the row’s mean"), head("change", "with − without"))),
    el("tbody", {}, ...rows.map((row) => row.node)));
  const rule = el("p", { class: "rp-reading", "aria-live": "polite" });

  function redraw() {
    const i = state.query;
    const bias = rows.map((_, j) => -state.scale * data.decay.values[Math.abs(j - i)]);
    const before = softmax(data.scores[i]);
    const after = softmax(data.scores[i].map((s, j) => s + bias[j]));
    const factor = bias.map(Math.exp);
    const mean = factor.reduce((sum, f, j) => sum + before[j] * f, 0);
    const longest = Math.max(...before, ...after);
    const winners = [];
    rows.forEach((row, j) => {
      const gain = after[j] - before[j];
      const word = Math.abs(gain) <= SAME ? "same" : gain > 0 ? "gains" : "loses";
      if (word === "gains") winners.push(data.tokens[j]);
      row.node.dataset.change = word;
      row.offset.textContent = withSign(j - i, 0);
      row.before.fill.style.width = percent(before[j] / longest);
      row.after.fill.style.width = percent(after[j] / longest);
      row.before.text.textContent = number(before[j]);
      row.after.text.textContent = number(after[j]);
      row.factor.fill.style.width = percent(factor[j]);
      row.factor.text.textContent =
        `${number(factor[j])} ${Math.abs(factor[j] - mean) <= SAME ? "= mean" : factor[j] > mean ? "above" : "below"}`;
      row.mean.style.left = percent(mean);
      row.change.textContent = word === "same" ? "same" : `${word === "gains" ? "▲" : "▼"} ${withSign(gain)} ${word}`;
    });
    picks.forEach((button, q) => button.setAttribute("aria-pressed", String(q === i)));
    formula.textContent = `query “${data.tokens[i]}” (i = ${i}), `
      + `B = −${Number(state.scale.toFixed(2))} · ${data.decay.formula.replace("{d}", "|j − i|")}`;
    rule.replaceChildren("A key gains exactly when its ", eToB(), " lies above the row’s mean, ",
      el("b", {}, "Σ w·", eToB(), ` = ${number(mean)}`),
      winners.length ? `. Here: ${winners.join(", ")}.` : ". Here all keys have the same factor, so nothing moves.");
  }

  redraw();
  return [controls, table, rule];
}
