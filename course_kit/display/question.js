// A question: the Check button waits for a choice; then every option shows what it tells, or all of them why.

// Makes one alive. `right`: the place of its answer; changed(): called after a check, and when it is asked again.
function ask(item, right, changed) {
  // Radio buttons belong together by their name, which two questions on a page must not share.
  const group = `rp-question-${(window.rpQuestions = (window.rpQuestions || 0) + 1)}`;
  // JupyterLab has looked for links already, so the link itself moves: a copy would open another window.
  const words = item.cloneNode(true), because = words.querySelector(".rp-because"), taught = item.querySelector(".rp-taught");
  const [options, reasons] = [...words.querySelectorAll("ol")].map((list) => [...list.children]);
  const button = el("button", { type: "button", onclick: () => (asked.chosen === null ? commit() : again()) });
  const verdict = el("p", { class: "rp-verdict", "aria-live": "polite" });
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
    el("div", { class: "rp-answer" }, button, verdict, taught || ""), because || "");
  const missed = () => asked.chosen !== null && asked.chosen !== right;
  const asked = { node, chosen: null, missed };

  function show() {
    const done = asked.chosen !== null;
    lines.forEach(({ radio, mark, why, node }, index) => {
      const result = !done ? "" : index === right ? "right" : index === asked.chosen ? "wrong" : "other";
      radio.disabled = done;
      why.hidden = !done || !reasons;
      mark.textContent = { right: "✓ right", wrong: "✗ not this one" }[result] || "";
      node.dataset.result = result;
    });
    for (const shown of [because, taught]) if (shown) shown.hidden = !done;
    verdict.textContent = !done ? "" : missed() ? "Not this one." : "Right.";
    button.textContent = done ? "Ask again" : "Check";
    button.disabled = !done;
    changed();
  }
  function commit() {
    asked.chosen = lines.findIndex((line) => line.radio.checked);
    show();
  }
  function again() {
    asked.chosen = null;
    for (const { radio } of lines) radio.checked = false;
    show();
    lines[0].radio.focus();
  }
  show();
  return asked;
}

function start(data, root) {
  const paragraphs = [...root.querySelectorAll(":scope > p")], items = [...root.querySelectorAll(".rp-asked")];
  const count = el("p", { "aria-live": "polite" }), asked = [];
  const changed = () => {
    const checked = asked.filter((question) => question.chosen !== null);
    const right = checked.filter((question) => !question.missed()).length;
    count.textContent = data.counts && checked.length ? `${right} right of ${checked.length} checked.` : "";
  };
  items.forEach((item, q) => asked.push(ask(item, data.right[q], changed)));
  return [...paragraphs, ...asked.map((question) => question.node), count];
}
