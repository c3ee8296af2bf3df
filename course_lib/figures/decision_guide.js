// Which scheme? One answer per question at most; the worst verdict of all answers wins, and its reasons are shown.

function start(data, root) {
  // The reasons stand in the static body, in the order of the rules; the first of them say what each scheme is.
  const reasons = [...root.querySelectorAll("li > span")], what = reasons.splice(0, data.schemes.length);
  const rules = data.questions.map(([, answers]) => answers.map(([answer, found]) =>
    found.map(([verdict, schemes]) => ({ verdict, schemes, answer, why: reasons.shift() }))));
  const chosen = [...data.chosen];
  const why = (reason) => reason.cloneNode(true);

  const buttons = data.questions.map(([, answers], q) => answers.map(([answer], a) => {
    const press = () => { chosen[q] = chosen[q] === a ? -1 : a; draw(); };
    return el("button", { type: "button", onclick: press }, answer);
  }));
  const asked = data.questions.map(([question], q) => el("div",
    { class: "rp-asked", role: "group", "aria-label": question },
    el("span", { class: "rp-text" }, question), el("span", { class: "rp-answers" }, ...buttons[q])));
  const summary = el("span", { "aria-live": "polite" });
  const again = el("button", { type: "button", class: "rp-again", onclick: () => { chosen.fill(-1); draw(); } }, "Start again");
  const result = el("div", { class: "rp-result" });

  const line = ({ verdict, answer, why: reason }) => el("li", { "data-verdict": verdict },
    el("span", { class: "rp-mark" }, data.verdicts[verdict][0]),
    el("span", {}, el("span", { class: "rp-note" }, `${answer}: `), why(reason)));

  function entry(scheme, applied, worst) {
    const decisive = applied.filter((rule) => rule.verdict === worst), rest = applied.filter((rule) => rule.verdict < worst);
    const told = el("div", {}, applied.length ? el("ul", {}, ...decisive.map(line)) : why(what[scheme]));
    const more = `${rest.length} more, which weigh${rest.length > 1 ? "" : "s"} less`;
    if (rest.length) told.append(el("details", {}, el("summary", {}, more), el("ul", {}, ...rest.map(line))));
    return el("div", { class: "rp-scheme", "data-scheme": data.schemes[scheme] }, el("b", {}, data.schemes[scheme]), told);
  }

  function draw() {
    buttons.forEach((row, q) => row.forEach((button, a) => button.setAttribute("aria-pressed", String(chosen[q] === a))));
    const answered = chosen.filter((a) => a >= 0).length;
    const applied = chosen.flatMap((a, q) => (a < 0 ? [] : rules[q][a]));
    const groups = [[], [], []];
    data.schemes.forEach((_, scheme) => {
      const own = applied.filter((rule) => rule.schemes.includes(scheme)).sort((a, b) => b.verdict - a.verdict);
      const worst = own.length ? own[0].verdict : 0;
      groups[worst].push(entry(scheme, own, worst));
    });
    const [fit, caveat, out] = groups.map((group) => group.length);
    summary.textContent = !answered ? "Answer what you know, in any order. A second press takes an answer back."
      : out === data.schemes.length ? "No scheme is left: your answers rule each other out. Take one back."
        : `Of ${data.schemes.length} schemes: ${fit} fitting, ${caveat} possible with a caveat, ${out} ruled out.`;
    const head = (verdict) => el("p", { class: "rp-group" }, answered ? data.verdicts[verdict].join(" ") : "The schemes");
    const sections = groups.map((group, verdict) =>
      el("section", { "data-group": answered ? verdict : null }, head(verdict), ...group));
    result.replaceChildren(...sections.filter((_, verdict) => groups[verdict].length));
  }

  draw();
  return [el("p", { class: "rp-title" }, el("b", {}, data.title)), ...asked,
    el("div", { class: "rp-reading rp-summary" }, summary, again), result, el("p", { class: "rp-note" }, data.note)];
}
