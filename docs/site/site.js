// The search shows text around what it finds: without the marks that begin and end a formula.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const text = Search.htmlToText;
  Search.htmlToText = (...page) => text(...page).replace(/\\[()[\]]/g, "");
});

// In a lesson with a part of the core, a button hides the other sections.
document.addEventListener("DOMContentLoaded", () => {
  const sections = [...document.querySelectorAll(".bd-article > section > section")];
  const inCore = (section) => section.querySelector(":scope > h2 + p > em")?.textContent.startsWith("Core: ");
  const buttons = document.querySelector(".bd-article .buttons");
  if (!buttons || !sections.some(inCore)) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Core only", ariaPressed: "false" });
  button.addEventListener("click", () => {
    button.ariaPressed = String(button.ariaPressed === "false");
    for (const section of sections) section.hidden = button.ariaPressed === "true" && !inCore(section);
  });
  buttons.append(button);
});
