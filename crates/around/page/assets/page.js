// The report's own part: colours, folds in print, and a span that the address keeps. The page is complete without it.
const root = document.documentElement;
const byId = (id) => document.getElementById(id);

// Colours: the system's choice until somebody chooses.
const button = byId("theme");
if (button) {
  button.hidden = false;
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const name = () => { button.textContent = isDark() ? "Light colours" : "Dark colours"; };
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  name();
}

// What is folded is printed, too.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach((one) => { one.open = true; });
});
addEventListener("afterprint", () => opened.forEach((one) => { one.open = false; }));

const pictures = stage({
  said: (text) => { byId("spoken").textContent = text; },
  // Where a page may not change its address, the span is only not kept.
  changed: (span) => {
    try { history.replaceState(null, "", location.href.split("#")[0] + (span ? `#t=${spanText(span)}` : "")); } catch { /* a page in a sandbox */ }
  },
});
let hasTime = false;
for (const figure of document.querySelectorAll("figure")) {
  const readings = figure.dataset.readings ? JSON.parse(figure.dataset.readings) : null;
  for (const svg of figure.querySelectorAll("svg.fig")) {
    if (pictures.add(figure, svg, readings)) { hasTime ||= svg.classList.contains("timed"); }
  }
  figure.addEventListener("keydown", (event) => {
    const table = figure.querySelector("details");
    if (event.key !== "t" || !table || event.ctrlKey || event.metaKey || event.altKey) { return; }
    table.open = !table.open;
    event.preventDefault();
  });
}
const hint = byId("hint");
if (hint && hasTime) { hint.hidden = false; }
const asked = /^#t=(.+)$/.exec(location.hash);
if (asked && spanOf(asked[1])) { pictures.zoom(spanOf(asked[1])); }
