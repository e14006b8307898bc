// Upgrades a page that is complete without it: a cursor that reads values, a switch of colours, folds open in print.
"use strict";
(() => {
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

  // Units as on the axes.
  const three = (v) => (Math.abs(v) >= 99.95 ? v.toFixed(0) : Math.abs(v) >= 9.995 ? v.toFixed(1) : v.toFixed(2));
  const scaled = (v, base, names) => {
    let rank = 0;
    while (Math.abs(v) >= base * 0.9995 && rank + 1 < names.length) { v /= base; rank += 1; }
    return three(v) + names[rank];
  };
  const si = ["", " k", " M", " G"];
  const iec = [" B", " KiB", " MiB", " GiB", " TiB"];
  const time = [" ns", " µs", " ms", " s"];
  const words = {
    Iops: (v) => scaled(v, 1000, si) + " IOPS",
    PerSecond: (v) => scaled(v, 1000, si) + "/s",
    Count: (v) => scaled(v, 1000, si),
    Bytes: (v) => scaled(v, 1024, iec),
    BytesPerS: (v) => scaled(v, 1024, iec) + "/s",
    Percent: (v) => three(v) + " %",
    Ns: (v) => scaled(v, 1000, time),
    Rarity: (v) => "1 in " + scaled(Math.pow(10, v), 1000, si) + " is slower",
    Seconds: (v) => (v >= 100 ? v.toFixed(0) + " s" : scaled(v * 1e9, 1000, time)),
  };

  const axis = (text) => {
    const [kind, low, high, from, to, quantity] = text.split(" ");
    const [l, h, f, t] = [low, high, from, to].map(Number);
    const value = (at) => {
      const share = (at - f) / (t - f);
      return kind === "log" ? l * Math.pow(h / l, share) : l + share * (h - l);
    };
    return { value, from: f, to: t, words: words[quantity] };
  };

  // Corners of a path, from the few commands that the writer of these pictures uses.
  const corners = (data) => {
    const points = [];
    let [x, y] = [0, 0];
    for (const [, command, rest] of data.matchAll(/([MLHVZ])([^MLHVZ]*)/g)) {
      const numbers = rest.trim().split(/[ ,]+/).map(Number);
      if (command === "H") { x = numbers[0]; } else if (command === "V") { y = numbers[0]; } else if (command !== "Z") { [x, y] = numbers; }
      points.push({ x, y, begins: command === "M" });
    }
    return points;
  };
  // Where the line is at x: between two corners, never across a gap.
  const heightAt = (points, x) => {
    for (let i = points.length - 1; i > 0; i -= 1) {
      const [a, b] = [points[i - 1], points[i]];
      if (b.begins || x < Math.min(a.x, b.x) || x > Math.max(a.x, b.x)) { continue; }
      return b.x === a.x ? b.y : a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x);
    }
    return null;
  };

  const charts = [];
  for (const svg of document.querySelectorAll("figure svg.fig")) {
    const plot = svg.querySelector("g.plot");
    if (!plot) { continue; }
    const [x, y] = [axis(plot.dataset.x), axis(plot.dataset.y)];
    const paths = [...plot.querySelectorAll("path[data-name]")].map((path) => ({ name: path.dataset.name, points: corners(path.getAttribute("d")) }));
    if (!y.words || !paths.length) { continue; }
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    line.setAttribute("class", "cursor");
    line.setAttribute("y1", Math.min(y.from, y.to));
    line.setAttribute("y2", Math.max(y.from, y.to));
    line.setAttribute("visibility", "hidden");
    plot.append(line);
    const out = svg.closest("figure").querySelector(".reading");
    charts.push({ svg, x, y, paths, line, out, isTime: x.words === words.Seconds });
    svg.setAttribute("tabindex", "0");
  }

  let pinned = false;
  let timer = 0;
  const show = (chart, at, speaks) => {
    const inside = Math.min(Math.max(at, chart.x.from), chart.x.to);
    chart.at = inside;
    chart.line.setAttribute("x1", inside);
    chart.line.setAttribute("x2", inside);
    chart.line.setAttribute("visibility", "visible");
    const values = chart.paths.map(({ name, points }) => {
      const height = heightAt(points, inside);
      return name + " " + (height === null ? "no data" : "≈ " + chart.y.words(chart.y.value(height)));
    });
    const where = chart.x.words ? chart.x.words(chart.x.value(inside)) + ": " : "";
    chart.out.textContent = where + values.join(", ");
    // A reader of screens is told once the cursor rests.
    clearTimeout(timer);
    if (speaks) { timer = setTimeout(() => { byId("spoken").textContent = chart.out.textContent; }, 150); }
  };
  // Charts over time share their cursor, by value.
  const showAll = (chart, at, speaks) => {
    show(chart, at, speaks);
    if (!chart.isTime) { return; }
    const value = chart.x.value(chart.at);
    for (const other of charts) {
      if (other === chart || !other.isTime || !other.svg.getClientRects().length) { continue; }
      const share = value / other.x.value(other.x.to);
      if (share >= 0 && share <= 1) { show(other, other.x.from + share * (other.x.to - other.x.from), false); }
    }
  };
  const hideAll = () => charts.forEach((chart) => { chart.line.setAttribute("visibility", "hidden"); chart.out.textContent = ""; });
  for (const chart of charts) {
    const { svg } = chart;
    const placeOf = (event) => {
      const box = svg.getBoundingClientRect();
      return ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    };
    svg.addEventListener("pointermove", (event) => { if (!pinned) { showAll(chart, placeOf(event), false); } });
    svg.addEventListener("pointerleave", () => { if (!pinned) { hideAll(); } });
    svg.addEventListener("click", (event) => { pinned = !pinned; showAll(chart, placeOf(event), true); });
    svg.addEventListener("keydown", (event) => {
      const step = (event.shiftKey ? 10 : 1) * (chart.x.to - chart.x.from) / 200;
      const at = chart.at === undefined ? chart.x.from : chart.at;
      if (event.key === "ArrowRight") { showAll(chart, at + step, true); }
      else if (event.key === "ArrowLeft") { showAll(chart, at - step, true); }
      else if (event.key === "Enter") { pinned = !pinned; }
      else if (event.key === "Escape") { pinned = false; hideAll(); }
      else if (event.key === "t") { const table = svg.closest("figure").querySelector("details"); if (table) { table.open = !table.open; } }
      else { return; }
      event.preventDefault();
    });
  }
})();
