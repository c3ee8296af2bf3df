// The quiz: one question at a time, a score, and at the end the chapters to read again.

function quiz(data, root, items) {
  // JupyterLab looks for links once, so these are moved to where they are needed: a copy would open another window.
  const links = [...root.querySelectorAll(".rp-chapters a")], shelf = el("div", { hidden: "" });
  const last = items.length;
  let now = 0;
  const questions = items.map((item, q) => {
    item.querySelector("p > b").remove(); // its number is said above
    return ask(item, data.right[q], [q + 1 < last ? "Next question" : "To the end", () => go(q + 1)], () => draw());
  });

  const outcome = el("p"), again = el("ul", { class: "rp-again" }), open = el("p");
  const jump = (q, text = q + 1) =>
    el("button", { type: "button", "aria-label": `Question ${q + 1}`, onclick: () => go(q) }, text);
  const clear = () => { questions.forEach((asked) => asked.clear()); go(0); };
  const restart = el("button", { type: "button", onclick: clear }, "Start again");
  const end = el("div", { class: "rp-end", tabindex: "-1" }, outcome, again, open, restart);
  const pages = [...questions.map((asked) => asked.node), end];
  const place = el("p", { "aria-live": "polite" }), score = el("p", { class: "rp-score" });
  const back = el("button", { type: "button", onclick: () => go(now - 1, back) }, "← Previous");
  const on = el("button", { type: "button", onclick: () => go(now + 1, on) }, "Next →");

  function draw() {
    const answered = questions.filter((asked) => asked.chosen !== null);
    const right = answered.filter((asked) => !asked.missed()).length;
    pages.forEach((page, p) => { page.hidden = p !== now; });
    back.disabled = now === 0;
    on.disabled = now === last;
    place.textContent = now === last ? "The end" : `Question ${now + 1} of ${last}`;
    score.textContent = answered.length && now < last ? `${right} of ${answered.length} right so far` : "";
    outcome.textContent = `${right} of ${last} right.` + (!answered.length ? ""
      : right < answered.length ? " Worth reading again, with the questions that say so:"
        : right === last ? " There is nothing to read again." : " No answer was wrong so far.");
    shelf.append(...links);
    if (now < last && questions[now].chosen !== null) questions[now].read.append(links[data.chapters[now]]);
    again.replaceChildren(...(now < last ? [] : links.flatMap((link, chapter) => {
      const missed = questions.flatMap((asked, q) => (data.chapters[q] === chapter && asked.missed() ? [jump(q)] : []));
      return missed.length ? [el("li", {}, link, ...missed)] : [];
    })));
    const first = questions.findIndex((asked) => asked.chosen === null);
    const left = `${last - answered.length} not answered yet. `;
    open.replaceChildren(...(first < 0 ? [] : [left, jump(first, `Question ${first + 1}`)]));
  }
  // The keyboard stays on the button that turned the page, or goes to what the new page asks.
  function go(page, button) {
    now = page;
    draw();
    if (!button) (now === last ? end : questions[now]).focus();
    else if (button.disabled) (button === on ? back : on).focus();
  }

  draw();
  return [el("p", { class: "rp-title" }, el("b", {}, data.title)),
    el("div", { class: "rp-controls" }, back, on, place, score), ...pages, shelf];
}
