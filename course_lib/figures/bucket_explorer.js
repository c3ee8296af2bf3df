// T5's buckets: keys around a query, every bucket on an axis of distances, and the calculation for any key or distance.

function start(data) {
  const FARTHEST = 5000;
  let room = 450; // pixels of the axis: decides which labels it can carry
  const state = { num: data.num, max: data.max, both: data.both, query: data.query, key: Math.max(data.query - 10, 0) };
  if (state.key === state.query) state.key = data.n - 1;
  let starts = [], exact = 0, far = 0;

  // Bucket E + t begins at the smallest d with (d / E)^m ≥ (max / E)^t, m = N − E; whole numbers decide, never a logarithm.
  const reaches = (d, t) => {
    const [D, E, M, m, T] = [d, exact, state.max, starts.size - exact, t].map(BigInt);
    return D ** m * E ** T >= M ** T * E ** m;
  };
  function refusal() {
    const perDirection = Math.floor(state.num / (state.both ? 2 : 1));
    starts = Object.assign([], { size: perDirection });
    exact = Math.floor(perDirection / 2);
    if (state.both && state.num % 2) return `num_buckets=${state.num}: expected an even number, both directions get the same`;
    if (state.max <= exact) return `num_buckets=${state.num}, max_distance=${state.max}: max_distance must exceed the ${exact} exact buckets`;
    for (let d = 0; d < exact; d++) starts.push(d);
    for (let t = 0, d = exact; t < perDirection - exact; t++) {
      while (!reaches(d, t)) d++;
      starts.push(d);
    }
    far = Math.max(state.max, starts.at(-1)) * 1.3;
    return "";
  }
  const step = (d) => starts.findLastIndex((from) => from <= d);
  const bucket = (r) => step(state.both ? Math.abs(r) : Math.max(-r, 0)) + (state.both && r > 0 ? starts.size : 0);
  const colour = (b) => colours("signed", (b >= starts.size ? b - starts.size : -b) / (starts.size - 1));

  // The formula with its numbers; the fraction has as many digits as it needs to show on which side of a whole it is.
  function calculation(d) {
    if (d < exact) return `distance ${d} < ${exact} exact buckets: ${d}`;
    const width = starts.size - exact;
    let t = 0, digits = 3;
    while (reaches(d, t + 1)) t++;
    const x = Math.log(d / exact) / Math.log(state.max / exact) * width;
    while (Math.floor(Number(x.toFixed(digits))) !== t && digits < 12) digits++;
    const found = exact + t, last = starts.size - 1;
    return `distance ${d} ≥ ${exact} exact buckets: ${exact} + ⌊ln(${d}/${exact}) / ln(${state.max}/${exact}) · ${width}⌋ = `
      + `${exact} + ⌊${number(x, digits)}⌋ = ${found}` + (found > last ? `, beyond the last: ${last}` : "");
  }

  const controls = el("div", { class: "rp-controls" },
    slider("query position", { min: 0, max: data.n - 1, step: 1, value: state.query }, (v) => {
      state.query = v;
      redraw();
    }),
    choice("num_buckets", data.buckets.map((v) => [v, v]), state.num, (v) => {
      state.num = Number(v);
      redraw();
    }),
    choice("max_distance", data.distances.map((v) => [v, v]), state.max, (v) => {
      state.max = Number(v);
      redraw();
    }),
    choice("direction", [["both", "both directions"], ["causal", "causal"]], state.both ? "both" : "causal", (v) => {
      state.both = v === "both";
      redraw();
    }));
  const refused = el("p", { class: "rp-refused", role: "alert", hidden: "" });
  const table = el("table", { role: "grid", class: data.n > 21 ? "rp-strip rp-many" : "rp-strip", "aria-label": "Bucket of every key; arrow keys move" });
  const reading = el("p", { class: "rp-reading", "aria-live": "polite" });
  const lanes = el("div", { class: "rp-lanes", role: "img" });
  const field = el("input", { type: "number", min: 0, max: FARTHEST, step: 1, value: 20, oninput: () => ask() });
  const asked = el("p", { class: "rp-reading rp-asked", "aria-live": "polite" });
  const facts = el("p", { class: "rp-facts" });
  const shown = el("div", {}, el("div", { class: "rp-scroll" }, table), reading, lanes,
    el("div", { class: "rp-ask" }, el("label", { class: "rp-control" }, el("span", {}, "distance"), field), asked),
    facts,
    el("p", { class: "rp-note" }, "Point at a key, tap it, or walk with the arrow keys. Blue: keys before the query; ",
      "orange: after it; the stronger, the higher the bucket; hatched: hidden or never used; dashed: the distance of the chosen key. The outline joins all that share one learned number."));
  function redraw() {
    const problem = refusal();
    refused.textContent = problem && `${problem}.`;
    refused.hidden = !problem;
    shown.hidden = Boolean(problem);
    if (problem) return;
    strip();
    axis();
    mark();
    ask();
    facts.textContent = words();
  }

  const keys = [...Array(data.n).keys()];
  const cells = keys.map((j) => el("td", { class: "rp-cell", "data-j": j, tabindex: "-1" }));
  const heads = keys.map((j) => el("th", { scope: "col", "data-j": j }, String(j)));
  const offsets = keys.map((j) => el("td", { "data-j": j }));
  const line = (name, parts) => el("tr", {}, el("th", { scope: "row" }, name), ...parts);
  table.append(el("caption", {}, el("b", {}, data.title)), el("thead", {}, line("key j", heads)),
    el("tbody", {}, line("offset", offsets), line("bucket", cells)));

  function strip() {
    for (const j of keys) {
      const r = j - state.query, hidden = !state.both && r > 0;
      heads[j].className = r === 0 ? "rp-query" : "";
      offsets[j].textContent = withSign(r, 0);
      cells[j].textContent = bucket(r);
      cells[j].classList.toggle("rp-masked", hidden);
      cells[j].style = hidden ? "" : colour(bucket(r));
    }
  }

  // Each bucket from where it begins to where the next one does; the axis is logarithmic from about E on.
  function axis() {
    const at = (d) => 100 * Math.min(Math.log1p(2 * d / exact) / Math.log1p(2 * far / exact), 1);
    const lane = (name, shift) => el("div", { class: "rp-lane" }, el("span", {}, name), el("div", { class: "rp-track" },
      ...starts.map((from, b) => {
        const left = at(from), width = at(starts[b + 1] ?? far) - left, unused = shift > 0 && b === 0;
        const text = String(b + shift);
        return width > 0 && el("span", { class: unused ? "rp-unused" : null, "data-b": b + shift,
          style: `left:${left}%;width:${width}%;${unused ? "" : colour(b + shift)}` },
        width / 100 * room > 6.5 * text.length + 4 ? text : "");
      }).filter(Boolean),
      el("i", { class: "rp-marker" })));
    let free = -9;
    const ticks = [...new Set(starts)].filter((d) => {
      const half = 3.3 * String(d).length, x = at(d) / 100 * room;
      if (x - half < free) return false;
      free = x + half + 3;
      return true;
    });
    lanes.replaceChildren(
      lane(state.both ? "key before" : "key at or before", 0),
      ...(state.both ? [lane("key after", starts.size)] : []),
      el("div", { class: "rp-lane rp-axis" }, el("span", {}, "distance"),
        el("div", {}, ...ticks.map((d) => el("span", { style: `left:${at(d)}%` }, String(d))))));
    lanes.setAttribute("aria-label", `The buckets of a direction begin at the distances ${starts.join(", ")}`);
    lanes.at = (d) => (at(d) + at(d + 1)) / 2;
  }

  function mark() {
    const r = state.key - state.query, b = bucket(r), hidden = !state.both && r > 0;
    for (const cell of cells) {
      const j = Number(cell.dataset.j), chosen = j === state.key;
      cell.classList.toggle("rp-same", bucket(j - state.query) === b && (state.both || (j > state.query) === hidden));
      cell.classList.toggle("rp-chosen", chosen);
      cell.tabIndex = chosen ? 0 : -1; // one stop for the Tab key, arrows inside
    }
    for (const part of lanes.querySelectorAll("[data-b]")) part.classList.toggle("rp-same", !hidden && Number(part.dataset.b) === b);
    const markers = [...lanes.querySelectorAll(".rp-marker")];
    markers.forEach((marker, side) => {
      marker.hidden = hidden || (side === 1) !== (r > 0);
      marker.style = `left:${lanes.at(Math.abs(r))}%`;
    });
    const more = state.both && r > 0 ? `, and ${starts.size} more because the key comes after: ${b}` : "";
    reading.replaceChildren(el("b", {}, `key ${state.key}, bucket ${b}`), r === 0 ? ": the query itself, offset 0."
      : hidden ? `: offset ${withSign(r, 0)}. A causal model never looks ahead: T5 puts every later key into bucket 0 and the mask hides it.`
        : `: offset ${withSign(r, 0)}, ${calculation(Math.abs(r))}${more}.`);
  }

  function ask() {
    const d = field.value.trim() === "" ? NaN : Number(field.value);
    const fine = Number.isInteger(d) && d >= 0 && d <= FARTHEST;
    field.setAttribute("aria-invalid", String(!fine));
    asked.dataset.buckets = fine ? `${bucket(-d)} ${bucket(d)}` : "";
    asked.textContent = !fine ? `Expected a whole number from 0 to ${FARTHEST}.`
      : d === 0 ? "distance 0: the query itself, bucket 0."
        : `${calculation(d)}. A key ${d} before the query has bucket ${bucket(-d)}, `
          + (state.both ? `one ${d} after it bucket ${bucket(d)}.` : "one after it bucket 0, behind the mask.");
  }

  function words() {
    const N = starts.size, once = starts.map((_, b) => b).filter((b) => starts[b] === starts[b + 1]);
    const never = state.both ? [...once, N, ...once.map((b) => b + N)] : once;
    const last = `${state.both ? "In each direction the" : "The"} last bucket begins at distance ${starts.at(-1)}`
      + (starts.at(-1) < state.max ? `, before max_distance ${state.max}` : "");
    const unused = never.length === 0 ? "Every bucket is used." : never.length === 1 ? `Bucket ${never[0]} is never used`
      : `Buckets ${never.slice(0, -1).join(", ")} and ${never.at(-1)} are never used`;
    const why = [once.length && "the next one begins at the same distance", state.both && `${N} would be a key after the query at distance 0`];
    return `Distances at which a bucket begins: 0 … ${exact - 1} one each, then ${starts.slice(exact).join(", ")}. ${last}. `
      + unused + (never.length ? `: ${why.filter(Boolean).join("; ")}.` : "");
  }

  let pointer = "";
  const choose = (event) => {
    const cell = event.target.closest("[data-j]");
    if (event.type === "pointerover") {
      const before = pointer;
      pointer = `${event.clientX} ${event.clientY}`;
      if (pointer === before) return; // a pointer that rests chooses nothing when the picture changes under it
    }
    if (!cell || state.key === Number(cell.dataset.j)) return;
    state.key = Number(cell.dataset.j);
    mark();
  };
  table.addEventListener("pointerover", choose);
  table.addEventListener("click", choose);
  table.addEventListener("focusin", choose);
  table.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: state.key - 1, ArrowRight: state.key + 1, Home: 0, End: data.n - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault(); // the page must not scroll under the reader
    cells[Math.min(Math.max(to, 0), data.n - 1)].focus();
  });

  redraw();
  new ResizeObserver(() => {
    const now = lanes.clientWidth - 78;
    if (shown.hidden || now <= 0 || now === room) return;
    room = now;
    axis();
    mark();
  }).observe(lanes);
  return [controls, refused, shown];
}
