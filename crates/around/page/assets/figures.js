// What a picture made here can do once a script runs: a cursor that reads values, and on pictures over time a span that is
// zoomed into and summed up. The report and the pages of `iodyno serve` both use it; nothing is only here.

const SVG = "http://www.w3.org/2000/svg";

// Units as on the axes.
const three = (v) => (Math.abs(v) >= 99.95 ? v.toFixed(0) : Math.abs(v) >= 9.995 ? v.toFixed(1) : v.toFixed(2));
const scaled = (v, base, names) => {
  let rank = 0;
  while (Math.abs(v) >= base * 0.9995 && rank + 1 < names.length) { v /= base; rank += 1; }
  return (v === 0 ? "0" : three(v)) + names[rank];
};
const si = ["", " k", " M", " G"];
const iec = [" B", " KiB", " MiB", " GiB", " TiB"];
const time = [" ns", " µs", " ms", " s"];
const count = (v) => (v < 1000 && Number.isInteger(v) ? String(v) : scaled(v, 1000, si));
const ns = (v) => scaled(v, 1000, time);
const words = {
  Iops: (v) => count(v) + " IOPS",
  PerSecond: (v) => count(v) + "/s",
  Count: count,
  Bytes: (v) => scaled(v, 1024, iec),
  BytesPerS: (v) => scaled(v, 1024, iec) + "/s",
  Percent: (v) => (v === 0 ? "0" : three(v)) + " %",
  Ns: ns,
  Rarity: (v) => "1 in " + scaled(Math.pow(10, v), 1000, si) + " is slower",
  Seconds: (v) => (v >= 100 ? v.toFixed(0) + " s" : ns(v * 1e9)),
};
const percent = (share) => (share > 0 && share < 0.001 ? "under 0.1 %" : (share * 100).toFixed(1) + " %");
// Both ends of a span in one unit, with the digits that tell them apart.
const spanWords = (from, to) => {
  const digits = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.max(to - from, 1e-3)))));
  return `${from.toFixed(digits)} to ${to.toFixed(digits)} s`;
};

const axis = (text) => {
  const [kind, low, high, from, to, quantity] = text.split(" ");
  const [l, h, f, t] = [low, high, from, to].map(Number);
  const value = (at) => {
    const share = (at - f) / (t - f);
    return kind === "log" ? l * Math.pow(h / l, share) : l + share * (h - l);
  };
  return { value, low: l, high: h, from: f, to: t, words: words[quantity] };
};

const element = (name, attributes) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
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

// The numbers of a line at a moment and over a span. A span counts what lies in it, by time; edges in part.
const stepAt = (line, t) => line.from.findIndex((from, i) => from <= t && t < line.to[i]);
const overSpan = (line, a, b) => {
  let [sum, length, least, most, n] = [0, 0, Infinity, -Infinity, 0];
  line.mean.forEach((mean, i) => {
    const inside = Math.min(b, line.to[i]) - Math.max(a, line.from[i]);
    if (mean === null || inside <= 0) { return; }
    sum += mean * inside;
    length += inside;
    least = Math.min(least, (line.least ?? line.mean)[i]);
    most = Math.max(most, (line.most ?? line.mean)[i]);
    n += 1;
  });
  return n ? { mean: sum / length, least, most, n } : null;
};
// Percentiles of a span come from the counts of its columns, added; never from percentiles.
const countsOver = (columns, a, b) => {
  const rows = new Map();
  let [from, to] = [Infinity, -Infinity];
  columns.rows.forEach((row, i) => {
    const middle = (columns.from[i] + columns.to[i]) / 2;
    if (middle < a || middle > b) { return; }
    [from, to] = [Math.min(from, columns.from[i]), Math.max(to, columns.to[i])];
    for (let at = 0; at < row.length; at += 2) rows.set(row[at], (rows.get(row[at]) ?? 0) + row[at + 1]);
  });
  const sorted = [...rows].sort((one, other) => one[0] - other[0]);
  const n = sorted.reduce((sum, [, more]) => sum + more, 0);
  const quantile = (share) => {
    let seen = 0;
    const found = sorted.find(([, more]) => (seen += more) >= Math.max(1, Math.ceil(share * n)));
    return columns.edges[found[0] + 1];
  };
  return { sorted, n, quantile, from, to };
};
const countsWords = (columns, { sorted, n, quantile }) => {
  if (!n) { return "nothing completed"; }
  const shares = [[0.5, "p50"], [0.99, "p99"], [0.999, "p99.9"]].filter(([share]) => n * (1 - share) >= 9.999);
  const told = shares.map(([share, name]) => `${name} ≤ ${ns(quantile(share))}`);
  return [`${count(n)} I/Os`, ...told, `slowest ≤ ${ns(columns.edges[sorted[sorted.length - 1][0] + 1])}`].join(", ");
};

const niceStep = (rough) => {
  const magnitude = Math.pow(10, Math.floor(Math.log10(rough)));
  return ([1, 2, 5, 10].find((step) => step * magnitude >= rough * 0.999) ?? 10) * magnitude;
};

// Moves what is drawn over time so that [a, b] fills the plot.
const mover = (plot) => {
  const kept = [];
  for (const one of plot.querySelectorAll("path, rect, line, circle, text")) {
    const names = { path: ["d"], rect: ["x", "width"], line: ["x1", "x2"], circle: ["cx"], text: ["x"] }[one.tagName];
    kept.push([one, names.map((name) => [name, one.getAttribute(name)])]);
  }
  return (k, c) => {
    const place = (text) => (k * Number(text) + c).toFixed(1);
    for (const [one, attributes] of kept) {
      for (const [name, value] of attributes) {
        let moved = k === 1 && c === 0 ? value : name === "width" ? (k * Number(value)).toFixed(1) : place(value);
        if (name === "d" && moved !== value) moved = value.replace(/([MLH])(-?[\d.]+)/g, (_, command, x) => command + place(x));
        one.setAttribute(name, moved);
      }
    }
  };
};

let clips = 0;

/**
 * A set of pictures that share cursor and span. `said` speaks to readers of screens; `changed` hears of the span that is
 * zoomed into, as [from, to] in seconds of the record, or null for all of it.
 */
export function stage({ said = () => {}, changed = () => {} } = {}) {
  const charts = new Set();
  let [view, mark, pinned, timer] = [null, null, false, 0];
  const isShown = (chart) => chart.svg.getClientRects().length > 0;
  const timed = () => [...charts].filter((chart) => chart.isTime);
  const whole = () => [Math.min(...timed().map((c) => c.zero)), Math.max(...timed().map((c) => c.zero + c.end))];

  const reading = (chart, at, y) => {
    const t = chart.x.value(at);
    const { readings } = chart;
    if (readings?.columns) {
      const { columns } = readings;
      const i = columns.from.findIndex((from, index) => from <= t && t < columns.to[index]);
      if (i < 0) { return `${words.Seconds(t + chart.zero)}: no data`; }
      const here = countsOver(columns, columns.from[i], columns.to[i]);
      const when = spanWords(columns.from[i] + chart.zero, columns.to[i] + chart.zero);
      const latency = y === null ? null : chart.y.value(y);
      const row = latency === null ? -1 : here.sorted.findIndex(([one]) => columns.edges[one] <= latency && latency < columns.edges[one + 1]);
      if (row < 0) { return `${when}: ${countsWords(columns, here)}`; }
      const slower = here.sorted.slice(row + 1).reduce((sum, [, more]) => sum + more, 0);
      const [edge, n] = here.sorted[row];
      return `${when}: ${count(n)} of ${count(here.n)} I/Os took ${ns(columns.edges[edge])} to ${ns(columns.edges[edge + 1])} (${percent(n / here.n)}), ${percent(slower / here.n)} slower`;
    }
    if (readings) {
      const value = chart.words;
      const told = readings.lines.flatMap((line) => {
        const i = stepAt(line, t);
        if (i < 0 || line.mean[i] === null) { return readings.apart ? [] : [`${line.name} no data`]; }
        const range = line.least ? ` (${value(line.least[i])} to ${value(line.most[i])})` : "";
        return [`${line.name} ${value(line.mean[i])}${range}`];
      });
      const first = readings.lines.find((line) => stepAt(line, t) >= 0);
      const i = first ? stepAt(first, t) : -1;
      const when = first ? spanWords(first.from[i] + chart.zero, first.to[i] + chart.zero) : words.Seconds(t + chart.zero);
      return `${when}: ${told.join(", ") || "no data"}`;
    }
    const told = chart.paths.map(({ name, path }) => {
      const height = heightAt(corners(path.getAttribute("d")), at);
      return `${name} ${height === null ? "no data" : `≈ ${chart.y.words(chart.y.value(height))}`}`;
    });
    return (chart.x.words ? `${chart.x.words(t)}: ` : "") + told.join(", ");
  };

  const show = (chart, at, y, speaks) => {
    const inside = Math.min(Math.max(at, chart.x.from), chart.x.to);
    chart.at = inside;
    chart.line.setAttribute("x1", inside);
    chart.line.setAttribute("x2", inside);
    chart.line.setAttribute("visibility", "visible");
    chart.out.textContent = reading(chart, inside, y);
    // A reader of screens is told once the cursor rests.
    clearTimeout(timer);
    if (speaks) { timer = setTimeout(() => said(chart.out.textContent), 150); }
  };
  // Charts over time share their cursor, by the record's time.
  const showAll = (chart, at, y, speaks) => {
    if (chart.isTime) {
      const t = chart.x.value(Math.min(Math.max(at, chart.x.from), chart.x.to)) + chart.zero;
      for (const other of timed()) {
        const share = (t - other.zero - other.x.low) / (other.x.high - other.x.low);
        if (other !== chart && isShown(other) && share >= 0 && share <= 1) {
          show(other, other.x.from + share * (other.x.to - other.x.from), null, false);
        }
      }
    }
    show(chart, at, y, speaks);
  };
  const hideAll = () => charts.forEach((chart) => { chart.line.setAttribute("visibility", "hidden"); chart.out.textContent = ""; });

  // Ticks of the part that is seen, in seconds, or the written ones for the whole.
  const drawTicks = (chart) => {
    chart.ticks?.remove();
    chart.ticks = null;
    const own = chart.svg.querySelector("g.x-ticks");
    if (!own) { return; }
    own.setAttribute("visibility", chart.isWhole ? "visible" : "hidden");
    if (chart.isWhole) { return; }
    const { x } = chart;
    const base = Number(own.dataset.y);
    const step = niceStep((x.high - x.low) / Math.max(2, Math.floor((x.to - x.from) / 90)));
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const group = element("g", { "aria-hidden": "true" });
    for (let t = Math.ceil(x.low / step - 1e-9) * step; t <= x.high + step * 1e-6; t += step) {
      const at = x.from + ((t - x.low) / (x.high - x.low)) * (x.to - x.from);
      group.append(element("line", { class: "axis", x1: at, x2: at, y1: base, y2: base + 4 }));
      const label = element("text", { class: "t2", x: at, y: base + 17, "text-anchor": "middle" });
      label.textContent = t.toFixed(digits);
      group.append(label);
    }
    const title = element("text", { class: "t2", x: x.to, y: base + 32, "text-anchor": "end" });
    title.textContent = "time, s";
    group.append(title);
    chart.svg.append(group);
    chart.ticks = group;
  };
  // Names stand at the ends of their lines, wherever those are now.
  const moveNames = (chart) => {
    chart.names.forEach(({ text, lead, y }) => { text.setAttribute("y", y); lead?.setAttribute("visibility", "visible"); });
    if (chart.isWhole) { return; }
    const placed = chart.names.map((one) => {
      one.lead?.setAttribute("visibility", "hidden");
      const path = chart.paths.find(({ name }) => name === one.text.textContent)?.path;
      const seen = path ? corners(path.getAttribute("d")).filter(({ x }) => x <= chart.x.to + 1) : [];
      return { one, y: seen.length ? seen[seen.length - 1].y + 4 : Number(one.y) };
    });
    placed.sort((a, b) => a.y - b.y);
    let free = -Infinity;
    for (const { one, y } of placed) {
      free = Math.max(y, free + 14);
      one.text.setAttribute("y", free);
    }
  };
  const summary = (chart) => {
    const span = mark ?? view;
    const [a, b] = span ? [span[0] - chart.zero, span[1] - chart.zero] : [0, 0];
    let told = "";
    if (span && b > 0 && a < chart.end && chart.readings) {
      const { readings } = chart;
      if (readings.columns) {
        const here = countsOver(readings.columns, a, b);
        told = here.n ? `${spanWords(here.from + chart.zero, here.to + chart.zero)}: ${countsWords(readings.columns, here)}` : `${spanWords(...span)}: nothing completed`;
      } else {
        const value = chart.words;
        const lines = readings.lines.map((line) => {
          const found = overSpan(line, a, b);
          if (!found) { return `${line.name} no data`; }
          const mean = readings.has_mean ? `${value(found.mean)} on average, ` : "";
          return `${line.name} ${mean}least ${value(found.least)}, greatest ${value(found.most)}, ${found.n} ${readings.apart ? "windows" : "intervals"}`;
        });
        told = `${spanWords(...span)}: ${lines.join("; ")}`;
      }
    }
    chart.sum.firstChild.textContent = told;
    chart.sum.hidden = !span;
    return told;
  };
  const redraw = (chart) => {
    const { x } = chart;
    const [low, high] = view ? [view[0] - chart.zero, view[1] - chart.zero] : [chart.low, chart.end];
    Object.assign(x, { low, high });
    chart.isWhole = !view;
    const k = (chart.end - chart.low) / (high - low);
    // Places on the whole axis, seen through the window.
    const c = x.from - k * (x.from + ((low - chart.low) / (chart.end - chart.low)) * (x.to - x.from));
    chart.move ??= mover(chart.plot);
    chart.move(k, c);
    if (mark) {
      const place = (t) => x.from + ((t - chart.zero - low) / (high - low)) * (x.to - x.from);
      drawBand(chart, place(mark[0]), place(mark[1]));
    } else {
      chart.band.setAttribute("width", 0);
    }
    drawTicks(chart);
    moveNames(chart);
    summary(chart);
  };
  const drawBand = (chart, one, other) => {
    const [a, b] = [Math.max(chart.x.from, Math.min(one, other)), Math.min(chart.x.to, Math.max(one, other))];
    chart.band.setAttribute("x", a);
    chart.band.setAttribute("width", Math.max(0, b - a));
  };
  const zoom = (span, speaker) => {
    const [first, last] = whole();
    // Less than a thousandth of the record is a slip of the hand.
    const least = Math.max((last - first) / 1000, 0.002);
    if (span) {
      const length = Math.min(Math.max(span[1] - span[0], least), last - first);
      const from = Math.min(Math.max(span[0], first), last - length);
      // As the address keeps it, so that whoever follows that reads the same numbers.
      span = length > (last - first) * 0.999 ? null : [from, from + length].map(toMs);
    }
    view = span;
    mark = null;
    timed().forEach(redraw);
    changed(view);
    if (speaker) { said(summary(speaker) || "The whole time is shown."); }
  };
  const select = (span, speaker) => {
    mark = span;
    timed().forEach(redraw);
    if (speaker) { said(summary(speaker)); }
  };

  const listen = (chart) => {
    const { svg } = chart;
    const placeOf = (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    };
    const timeOf = (at) => chart.x.value(Math.min(Math.max(at, chart.x.from), chart.x.to)) + chart.zero;
    let drag = null;
    svg.addEventListener("pointerdown", (event) => { if (event.button === 0) { drag = { at: placeOf(event)[0], moved: false }; } });
    svg.addEventListener("pointermove", (event) => {
      const [at, y] = placeOf(event);
      if (drag && chart.isTime && Math.abs(at - drag.at) > 4) {
        if (!drag.moved) { svg.setPointerCapture(event.pointerId); }
        drag.moved = true;
        drawBand(chart, drag.at, at);
      }
      if (!pinned) { showAll(chart, at, y, false); }
    });
    svg.addEventListener("pointerup", (event) => {
      const [at, y] = placeOf(event);
      const [from, moved] = [drag?.at, drag?.moved];
      drag = null;
      if (moved) {
        const span = [timeOf(Math.min(from, at)), timeOf(Math.max(from, at))];
        if (event.shiftKey) { select(span, chart); } else { zoom(span, chart); }
      } else if (from !== undefined) {
        pinned = !pinned;
        showAll(chart, at, y, true);
      }
    });
    svg.addEventListener("pointercancel", () => { drag = null; if (chart.isTime) { redraw(chart); } });
    svg.addEventListener("pointerleave", () => { if (!pinned && !drag) { hideAll(); } });
    svg.addEventListener("dblclick", () => { if (chart.isTime) { pinned = false; zoom(null, chart); } });
    svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) { return; }
      const width = chart.x.to - chart.x.from;
      const step = ((event.shiftKey ? 10 : 1) * width) / 200;
      const at = chart.at ?? chart.x.from;
      const [low, high] = view ?? (chart.isTime ? whole() : [0, 0]);
      const closer = (factor) => { const t = timeOf(at); zoom([t - (t - low) * factor, t + (high - t) * factor], chart); showAll(chart, at, null, false); };
      const along = (share) => zoom([low + (high - low) * share, high + (high - low) * share], chart);
      const ofTime = { "+": () => closer(0.5), "=": () => closer(0.5), w: () => closer(0.5), "-": () => closer(2), s: () => closer(2), a: () => along(-0.25), d: () => along(0.25), 0: () => zoom(null, chart) };
      const keys = {
        ArrowRight: () => showAll(chart, at + step, null, true),
        ArrowLeft: () => showAll(chart, at - step, null, true),
        Enter: () => { pinned = !pinned; },
        Escape: () => { pinned = false; hideAll(); if (mark) { select(null, null); } },
        ...(chart.isTime ? ofTime : {}),
      };
      if (!keys[event.key]) { return; }
      keys[event.key]();
      event.preventDefault();
      event.stopPropagation();
    });
  };

  /** Takes a picture in; gives what takes it out again, or null for one that has nothing to read. */
  const add = (figure, svg, readings) => {
    const plot = svg.querySelector("g.plot");
    if (!plot) { return null; }
    const [x, y] = [axis(plot.dataset.x), axis(plot.dataset.y)];
    const paths = [...plot.querySelectorAll("path[data-name]")].map((path) => ({ name: path.dataset.name, path }));
    const isTime = x.words === words.Seconds;
    if (!(isTime && readings) && (!y.words || !paths.length)) { return null; }
    const [top, height] = [Math.min(y.from, y.to), Math.abs(y.to - y.from)];
    const zero = (readings?.zero_ms ?? 0) / 1000;
    const chart = { svg, plot, x, y, paths, isTime, zero, low: x.low, end: x.high, isWhole: true, readings: isTime ? seconds(readings) : null, words: words[readings?.quantity] ?? y.words };
    chart.out = figure.querySelector(".reading") ?? figure.appendChild(Object.assign(document.createElement("p"), { className: "reading" }));
    chart.line = element("line", { class: "cursor", y1: top, y2: top + height, visibility: "hidden" });
    if (isTime) {
      clips += 1;
      const id = `clip-${clips}`;
      const clip = element("clipPath", { id });
      clip.append(element("rect", { x: x.from, y: 0, width: x.to - x.from, height: svg.viewBox.baseVal.height }));
      svg.prepend(clip);
      plot.setAttribute("clip-path", `url(#${id})`);
      chart.band = element("rect", { class: "brush", x: x.from, y: top, width: 0, height });
      chart.names = [...svg.querySelectorAll("g.ends text")].map((text) => ({ text, y: text.getAttribute("y"), lead: text.previousElementSibling?.classList.contains("lead") ? text.previousElementSibling : null }));
      chart.sum = figure.querySelector(".summary");
      if (!chart.sum) {
        chart.sum = Object.assign(document.createElement("p"), { className: "summary", hidden: true });
        const back = Object.assign(document.createElement("button"), { type: "button", textContent: "Whole time" });
        back.addEventListener("click", () => { zoom(null, chart); svg.focus(); });
        chart.sum.append(document.createElement("span"), " ", back);
        chart.out.after(chart.sum);
      }
      // Made before anything of the script's own is in the plot.
      chart.move = mover(plot);
      plot.append(chart.band);
      svg.classList.add("timed");
    }
    plot.append(chart.line);
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    svg.setAttribute("aria-roledescription", isTime ? "chart over time: arrows read it, plus and minus zoom" : "chart: arrows read it");
    charts.add(chart);
    listen(chart);
    if (isTime && (view || mark)) { redraw(chart); }
    return () => charts.delete(chart);
  };
  return { add, zoom: (span) => { if (timed().length) { zoom(span, null); } else { view = span; } } };
}

// Times come in whole milliseconds; a line without its own has those of the line before it.
function seconds(readings) {
  if (!readings) { return null; }
  const all = (list) => list.map((ms) => ms / 1000);
  let last = null;
  const lines = (readings.lines ?? []).map((line) => {
    last = line.from ? { from: all(line.from), to: all(line.to) } : last;
    return { ...line, ...last };
  });
  const columns = readings.columns;
  return { ...readings, lines, columns: columns ? { ...columns, from: all(columns.from), to: all(columns.to), edges: Object.fromEntries(columns.edges) } : null };
}

/** `12.5-31` as [12.5, 31]; null for anything else. */
export function spanOf(text) {
  const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? "");
  const span = found ? [Number(found[1]), Number(found[2])] : null;
  return span && span[1] > span[0] ? span : null;
}

const toMs = (t) => Math.round(t * 1000) / 1000;

/** The other way round. */
export const spanText = (span) => span.map((t) => String(toMs(t))).join("-");
