// What every live picture shares: finding its place on the page, and building elements.
// KEY and DATA stand above this text; the picture's own file defines start(data), which returns its elements.

// JupyterLab reads single letters and arrows as commands unless the focused element itself carries this mark.
const SUPPRESS = "data-lm-suppress-shortcuts";

function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value);
  }
  if (/^(button|input|select|summary)$/.test(tag) || "tabindex" in props) node.setAttribute(SUPPRESS, "true");
  node.append(...children);
  return node;
}

// What frames.py has pooled: each list says how many places before it its items are, and all is in the last one.
function unpooled(pool) {
  const opened = [];
  const open = (kept, at) => (Array.isArray(kept) ? kept.map((back) => opened[at - back]) : kept);
  pool.forEach((kept, at) => opened.push(open(kept, at)));
  return opened.at(-1);
}

// Replace the static body by the live one. If anything goes wrong in start(), the static body simply stays.
function wake(start) {
  const script = document.currentScript;
  const before = script && script.previousElementSibling;
  const attempt = (tries) => {
    // Beside the script in JupyterLab, Colab and exported pages; elsewhere (classic Notebook, VS Code) scripts run
    // apart from their place, perhaps before it exists. Of two equal pictures each script then takes one.
    const root = before && before.dataset.rp === KEY
      ? before
      : document.querySelector(`[data-rp="${KEY}"]:not([data-rp-live])`);
    if (root) {
      root.replaceChildren(...start(DATA, root));
      root.setAttribute("data-rp-live", "true");
    } else if (tries) {
      setTimeout(() => attempt(tries - 1), 200);
    }
  };
  attempt(10);
}
