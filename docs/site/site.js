// The search shows text around what it finds: without the marks that begin and end a formula.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const text = Search.htmlToText;
  Search.htmlToText = (...page) => text(...page).replace(/\\[()[\]]/g, "");
});
