// Predict first: the Check button waits for a choice, then every answer shows what it tells.

function start(data) {
  // Radio buttons belong together by their name; two pictures on one page must not share it.
  const group = `rp-question-${(window.rpQuestions = (window.rpQuestions || 0) + 1)}`;
  // The texts are HTML made by question.py, which escapes everything except its own <code>.
  const rich = (tag, html, props = {}) => {
    const node = el(tag, props);
    node.innerHTML = html;
    return node;
  };
  const check = el("button", { type: "button", class: "rp-check", disabled: "" }, "Check");
  const verdict = el("p", { class: "rp-verdict", "aria-live": "polite" });
  const options = data.options.map(([text, reason, right], index) => {
    const radio = el("input", { type: "radio", name: group, value: index, onchange: () => { check.disabled = false; } });
    const mark = el("span", { class: "rp-mark" });
    const why = rich("span", reason, { class: "rp-why" });
    why.hidden = true;
    const node = el("div", { class: "rp-option" }, el("label", {}, radio, rich("span", text), mark), why);
    return { radio, mark, why, right, node };
  });
  check.addEventListener("click", () => {
    const chosen = options.find((option) => option.radio.checked);
    for (const option of options) {
      option.why.hidden = false;
      option.mark.textContent = option.right ? "✓ right" : option === chosen ? "✗ not this one" : "";
      option.node.dataset.result = option.right ? "right" : option === chosen ? "wrong" : "other";
    }
    verdict.textContent = chosen.right ? "Right. Here is what each answer tells." : "Not this one. Here is what each answer tells.";
  });
  const legend = el("legend", {}, el("b", {}, `${data.title}. `), rich("span", data.text));
  return [el("fieldset", {}, legend, ...options.map((option) => option.node)), el("div", { class: "rp-answer" }, check, verdict)];
}
