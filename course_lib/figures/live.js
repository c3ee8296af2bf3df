// What every live picture shares: finding its place on the page, building elements, numbers and colours.
// KEY, MAPS and DATA stand above this text; the picture's own file defines start(data), which returns its elements.

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

function number(value, digits = 4) {
  if (typeof value === "string") return value;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "∞" : "−∞";
  const shown = value.toFixed(digits);
  return (Number(shown) === 0 ? shown.replace("-", "") : shown).replace("-", "−");
}

const withSign = (value, digits = 4) => (value > 0 ? "+" : "") + number(value, digits);

function blend(stops, t) {
  const x = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const left = Math.min(Math.floor(x), stops.length - 2);
  return [1, 3, 5].map((c) => {
    const [from, to] = [left, left + 1].map((stop) => parseInt(stops[stop].slice(c, c + 2), 16));
    return Math.round(from + (to - from) * (x - left));
  });
}

// Background and text colour for a cell; text is pure black or white, whichever has more contrast.
function colours(map, t) {
  const rgb = blend(MAPS[map], map === "signed" ? (t + 1) / 2 : t);
  const light = rgb.map((c) => (c <= 10 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  return `background-color:rgb(${rgb});color:${luminance > 0.179 ? "#000000" : "#ffffff"}`;
}

// A slider with its name before it and its value behind it. The value is read out by the slider itself.
function slider(name, { min, max, step, value, show = String }, onchange) {
  const shown = el("span", { class: "rp-value", "aria-hidden": "true" }, show(value));
  const input = el("input", { type: "range", min, max, step, value, "aria-valuetext": show(value) });
  input.addEventListener("input", () => {
    const now = Number(input.value);
    shown.textContent = show(now);
    input.setAttribute("aria-valuetext", show(now));
    onchange(now);
  });
  return el("label", { class: "rp-control", "data-rp-control": name }, el("span", {}, name), input, shown);
}

function choice(name, options, value, onchange) {
  const select = el("select", { onchange: () => onchange(select.value) });
  for (const [key, text] of options) select.append(el("option", { value: key }, text));
  select.value = value;
  return el("label", { class: "rp-control", "data-rp-control": name }, el("span", {}, name), select);
}

// A box in which a table without cells to focus scrolls, also by keyboard, where the page is too narrow for it.
function scrolling(name, table) {
  return el("div", { class: "rp-scroll", role: "group", tabindex: "0", "aria-label": name }, table);
}
