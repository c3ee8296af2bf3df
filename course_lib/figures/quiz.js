// The quiz: one question at a time. An answer counts once it is checked; then every option shows what it tells.

function start(data, root) {
  root.classList.add("rp-question"); // so its questions look like a single one
  const group = `rp-quiz-${(window.rpQuizzes = (window.rpQuizzes || 0) + 1)}`; // two quizzes share no radio buttons
  // JupyterLab looks for links once, so these are moved to where they are needed: a copy would open another window.
  const links = [...root.querySelectorAll(".rp-chapters a")], shelf = el("div", { hidden: "" });
  let now = 0;

  const questions = [...root.querySelectorAll(".rp-asked")].map((item, q) => {
    const [right, chapter] = data.questions[q], words = item.cloneNode(true);
    const [options, reasons] = [...words.querySelectorAll("ol")].map((list) => [...list.children]);
    const press = () => (asked.chosen === null ? commit() : go(q + 1));
    const check = el("button", { type: "button", onclick: press }, "Check");
    const verdict = el("p", { class: "rp-verdict", "aria-live": "polite" }), read = el("span", { class: "rp-read" });
    const lines = options.map((text, index) => {
      const radio = el("input", { type: "radio", name: `${group}-${q}`, onchange: () => { check.disabled = false; } });
      const mark = el("span", { class: "rp-mark" }), why = el("span", { class: "rp-why" }, ...reasons[index].childNodes);
      const node = el("div", { class: "rp-option" }, el("label", {}, radio, el("span", {}, ...text.childNodes), mark), why);
      return { radio, mark, why, node };
    });
    const legend = el("legend", {}, ...words.querySelector("p > span").childNodes);
    const node = el("div", {}, el("fieldset", {}, legend, ...lines.map((line) => line.node)),
      el("div", { class: "rp-answer" }, check, verdict, read));
    const missed = () => asked.chosen !== null && asked.chosen !== right;
    const focus = () => (asked.chosen === null ? lines[0].radio : check).focus();
    const asked = { node, read, chapter, chosen: null, missed, clear, focus };

    function show() {
      const { chosen } = asked, done = chosen !== null;
      lines.forEach(({ radio, mark, why, node }, index) => {
        radio.disabled = done;
        why.hidden = !done;
        mark.textContent = !done ? "" : index === right ? "✓ right" : index === chosen ? "✗ not this one" : "";
        node.dataset.result = !done ? "" : index === right ? "right" : index === chosen ? "wrong" : "other";
      });
      verdict.textContent = !done ? "" : chosen === right ? "Right." : "Not this one.";
      check.textContent = !done ? "Check" : q + 1 < data.questions.length ? "Next question" : "To the end";
    }
    function commit() {
      asked.chosen = lines.findIndex((line) => line.radio.checked);
      show();
      draw();
    }
    function clear() {
      asked.chosen = null;
      for (const { radio } of lines) radio.checked = false;
      check.disabled = true;
      show();
    }
    clear();
    return asked;
  });

  const outcome = el("p"), last = questions.length;
  const again = el("ul", { class: "rp-again" }), open = el("p");
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
    const right = answered.filter((asked) => !asked.missed());
    pages.forEach((page, p) => { page.hidden = p !== now; });
    back.disabled = now === 0;
    on.disabled = now === last;
    place.textContent = now === last ? "The end" : `Question ${now + 1} of ${last}`;
    score.textContent = answered.length && now < last ? `${right.length} of ${answered.length} right so far` : "";
    outcome.textContent = `${right.length} of ${last} right.` + (!answered.length ? ""
      : right.length < answered.length ? " Worth reading again, with the questions that say so:"
        : right.length === last ? " There is nothing to read again." : " No answer was wrong so far.");
    shelf.append(...links);
    if (now < last && questions[now].chosen !== null) questions[now].read.append(links[questions[now].chapter]);
    again.replaceChildren(...(now < last ? [] : links.flatMap((link, chapter) => {
      const missed = questions.flatMap((asked, q) => (asked.chapter === chapter && asked.missed() ? [jump(q)] : []));
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
