// A question: the Check button waits for a choice; then every option shows what it tells, or all of them why.

// Makes one alive. `right`: the place of its answer; `after`: what its button does after the check, [label, function].
function ask(item, right, after = null, checked = () => {}) {
  // Radio buttons belong together by their name, which two questions on a page must not share.
  const group = `rp-question-${(window.rpQuestions = (window.rpQuestions || 0) + 1)}`;
  const words = item.cloneNode(true), because = words.querySelector(".rp-because");
  const [options, reasons] = [...words.querySelectorAll("ol")].map((list) => [...list.children]);
  const button = el("button", { type: "button", onclick: () => (asked.chosen === null ? commit() : next()) });
  const [label, next] = after || ["Ask again", () => { clear(); focus(); }];
  const verdict = el("p", { class: "rp-verdict", "aria-live": "polite" }), read = el("span", { class: "rp-read" });
  const lines = options.map((text, index) => {
    const radio = el("input", { type: "radio", name: group, onchange: () => { button.disabled = false; } });
    const mark = el("span", { class: "rp-mark" });
    const why = el("span", { class: "rp-why" }, ...(reasons ? reasons[index].childNodes : []));
    const label = el("label", {}, radio, el("span", {}, ...text.childNodes), mark);
    const node = el("div", { class: "rp-option" }, label, why);
    return { radio, mark, why, node };
  });
  const node = el("div", { class: item.className },
    el("fieldset", {}, el("legend", {}, ...words.querySelector("p").childNodes), ...lines.map((line) => line.node)),
    el("div", { class: "rp-answer" }, button, verdict, read), because || "");
  const missed = () => asked.chosen !== null && asked.chosen !== right;
  const focus = () => (asked.chosen === null ? lines[0].radio : button).focus();
  const asked = { node, read, chosen: null, missed, clear, focus };

  function show() {
    const done = asked.chosen !== null;
    lines.forEach(({ radio, mark, why, node }, index) => {
      const result = !done ? "" : index === right ? "right" : index === asked.chosen ? "wrong" : "other";
      radio.disabled = done;
      why.hidden = !done || !reasons;
      mark.textContent = { right: "✓ right", wrong: "✗ not this one" }[result] || "";
      node.dataset.result = result;
    });
    if (because) because.hidden = !done;
    verdict.textContent = !done ? "" : missed() ? "Not this one." : "Right.";
    button.textContent = done ? label : "Check";
    button.disabled = !done;
  }
  function commit() {
    asked.chosen = lines.findIndex((line) => line.radio.checked);
    show();
    checked();
  }
  function clear() {
    asked.chosen = null;
    for (const { radio } of lines) radio.checked = false;
    show();
  }
  clear();
  return asked;
}

function start(data, root) {
  const items = [...root.querySelectorAll(".rp-asked")];
  if (data.chapters) return quiz(data, root, items);
  return [...root.querySelectorAll(":scope > p"), ...items.map((item, q) => ask(item, data.right[q]).node)];
}
