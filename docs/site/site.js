// The search shows text around what it finds: without what is not read, with a space between boxes, and with "…" for a
// formula that only its marks would tell.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".buttons, .buttons + p, .headerlink, script, style").forEach((unread) => unread.remove());
    page.querySelectorAll(".math").forEach((formula) => {
      const inside = formula.textContent.replace(/\\[()[\]]/g, "");
      formula.textContent = inside.includes("\\") ? "…" : inside;
    });
    page.querySelectorAll("td, th, p, div, li, button, label, caption, summary, option, pre, h1, h2, h3")
      .forEach((box) => box.append(" "));
    const found = anchor && page.querySelector(anchor);
    return (found ? found.closest("section") : page.querySelector('[role="main"]')).textContent;
  };
});

// In a page with a part of the core, a button hides the other sections. It stays pressed from page to page.
document.addEventListener("DOMContentLoaded", () => {
  const sections = [...document.querySelectorAll(".bd-article > section > section")];
  const inCore = (section) =>
    /^Core: |· in the core$/.test(section.querySelector(":scope > p:first-of-type > em")?.textContent ?? "");
  const buttons = document.querySelector(".bd-article .buttons");
  if (!buttons || !sections.some(inCore)) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Core only" });
  const show = (coreOnly) => {
    button.ariaPressed = String(coreOnly);
    for (const section of sections) section.hidden = coreOnly && !inCore(section);
    document.querySelector(".prev-next-area").hidden = coreOnly; // it leads to pages that the core leaves out
  };
  const wanted = () => { // somebody who follows a link to another section wants to see it
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const section = sections.find((one) => one.contains(target));
    return localStorage.getItem("core only") === "true" && (!section || inCore(section));
  };
  button.addEventListener("click", () => {
    localStorage.setItem("core only", String(button.ariaPressed === "false"));
    show(localStorage.getItem("core only") === "true");
  });
  addEventListener("hashchange", () => show(wanted()));
  show(wanted());
  buttons.append(button);
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
});
