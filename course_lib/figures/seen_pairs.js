// Seen pairs: the square of all query and key positions, what training reached and what it did not, for three schemes.

function start(data) {
  const state = { train: data.train, test: data.test, scheme: data.scheme, clip: data.clip };
  state.i = Math.round(state.test * 0.8);
  state.j = Math.round(state.test * 0.15);
  const thousands = (x) => String(x).replace(/\B(?=(\d{3})+$)/g, ",");
  const signed = (r) => withSign(r, 0);

  const whole = (name, key, min, max, step) => slider(name, { min, max, step, value: state[key] }, (v) => {
    state[key] = v;
    redraw();
  });
  const ends = whole("clip", "clip", 0, 512, 1);
  const controls = el("div", { class: "rp-controls" },
    choice("what is learned", Object.entries(data.schemes), state.scheme, (v) => {
      state.scheme = v;
      redraw();
    }),
    whole("train", "train", 16, 512, 1), whole("test", "test", 16, 1024, 1), ends);
  const query = slider("query i", { min: 0, max: 1, step: 1, value: 0 }, (v) => point(v, state.j));
  const key = slider("key j", { min: 0, max: 1, step: 1, value: 0 }, (v) => point(state.i, v));
  const area = el("div", { class: "rp-square", role: "img" });
  const counts = el("p", { class: "rp-counts", "aria-live": "polite" });
  const formula = el("p", {});
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });

  // The two far corners, or the frame around the trained square; as polygons in percent of the side.
  function corners(a) {
    if (state.scheme === "absolute") return [`${a}% 0,100% 0,100% 100%,0 100%,0 ${a}%,${a}% ${a}%`];
    return [`${a}% 0,100% 0,100% ${100 - a}%`, `0 ${a}%,0 100%,${100 - a}% 100%`];
  }

  function redraw() {
    const { train, test, scheme, clip } = state, over = Math.max(test - train, 0), every = test ** 2;
    const reach = scheme === "clipped" && clip < train;
    const unseen = reach ? 0 : scheme === "absolute" ? every - Math.min(train, test) ** 2 : over * (over + 1);
    const a = 100 * Math.min(train / test, 1), tick = (at, text) => [
      el("span", { class: "rp-across", style: `left:${at}%` }, text), el("span", { class: "rp-down", style: `top:${at}%` }, text)];
    ends.hidden = scheme !== "clipped";
    area.replaceChildren(
      ...(unseen ? corners(a).map((polygon) => el("div", { class: "rp-unseen", style: `clip-path:polygon(${polygon})` })) : []),
      ...(over ? [el("div", { class: "rp-trained", style: `width:${a}%;height:${a}%` })] : []),
      ...(over ? tick(a, a < 88 ? String(train) : "") : []), ...tick(100, String(test)), ...(a > 8 ? tick(0, "0") : []),
      el("i", { class: "rp-i" }), el("i", { class: "rp-j" }));
    area.setAttribute("aria-label", `Square of ${test} queries and ${test} keys, ${unseen ? "unseen: " + (scheme === "absolute"
      ? `all beyond position ${train - 1}` : `the two corners where the distance is ${train} or more`) : "all seen"}`);
    const percent = (100 * unseen / every).toFixed(1);
    counts.replaceChildren(el("b", {}, thousands(unseen)), ` of ${thousands(every)} pairs are unseen: `, el("b", {}, `${percent} %`));
    area.dataset.unseen = unseen;
    formula.textContent = over === 0 ? "Nothing is unseen when test is no longer than train."
      : reach ? `Every offset beyond ±${clip} takes the vector of ±${clip}, and training used that. So it is for every clip up to train − 1.`
        : scheme === "absolute" ? `test² − train² = ${thousands(every)} − ${thousands(train ** 2)}: the query or the key has a position that no training text had.`
          : `(test − train)(test − train + 1) = ${thousands(over)} · ${thousands(over + 1)}: two triangles, distance ${train} and more.`
            + (scheme === "clipped" ? ` A clip of ${clip} is too far to help; it helps up to ${train - 1}.` : "");
    for (const control of [query, key]) control.querySelector("input").max = test - 1;
    point(Math.min(state.i, test - 1), Math.min(state.j, test - 1));
  }

  function point(i, j) {
    Object.assign(state, { i, j });
    const { train, test, scheme, clip } = state, r = j - i, cut = Math.min(Math.max(r, -clip), clip);
    for (const [control, value] of [[query, i], [key, j]]) {
      const input = control.querySelector("input");
      input.value = value;
      input.setAttribute("aria-valuetext", value);
      control.querySelector(".rp-value").textContent = value;
    }
    area.querySelector(".rp-i").style.top = `${100 * (i + 0.5) / test}%`;
    area.querySelector(".rp-j").style.left = `${100 * (j + 0.5) / test}%`;
    const where = `query ${i}, key ${j}`, far = [...new Set([i, j])].filter((x) => x >= train);
    const used = scheme === "clipped" ? cut : r, seen = scheme === "absolute" ? !far.length : Math.abs(used) < train;
    reading.dataset.seen = seen;
    reading.replaceChildren(el("b", {}, seen ? "seen" : "unseen"), `: ${where}`, scheme === "absolute"
      ? (seen ? `, both below ${train}; training had a vector for each.` : `. Training never had a position ${far.join(" or ")}; its last was ${train - 1}.`)
      : `, offset ${signed(r)}` + (cut !== r && scheme === "clipped" ? `, clipped to ${signed(cut)}` : "")
        + (seen ? ". Training had this offset" + (Math.max(i, j) >= train ? ", at other positions." : ".") : `. In training no offset went beyond ±${train - 1}.`));
  }

  const track = (event) => {
    if (event.type === "pointermove" && event.pointerType !== "mouse") return; // a finger taps, a drag scrolls
    const box = area.getBoundingClientRect();
    const at = (x, length) => Math.min(Math.max(Math.floor(x / length * state.test), 0), state.test - 1);
    point(at(event.clientY - box.top, box.height), at(event.clientX - box.left, box.width));
  };
  area.addEventListener("pointermove", track);
  area.addEventListener("click", track);

  const legend = el("p", { class: "rp-legend" }, ...[["", "seen in training"], ["rp-unseen", "unseen"], ["rp-trained", "the trained square"]]
    .map(([name, words]) => el("span", {}, el("i", { class: `rp-square-key ${name}` }), ` ${words}`)));
  redraw();
  return [el("p", {}, el("b", {}, data.title)), controls, el("div", { class: "rp-pair" },
    el("div", { class: "rp-plot" }, el("span", { class: "rp-note" }, "query i ↓  key j →"), area),
    el("div", { class: "rp-words" }, counts, formula, legend, el("div", { class: "rp-controls" }, query, key), reading,
      el("p", { class: "rp-note" }, "Point into the square, tap it, or move the two sliders.")))];
}
