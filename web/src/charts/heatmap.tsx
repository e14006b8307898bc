// Latencies over time: colour is how many I/Os a second fall into an octave of latency, on a root scale, so that one slow
// I/O is seen beside a million fast ones. Nothing is the background; what was not measured is hatched.

import { useEffect, useRef, useState } from "preact/hooks";
import { ROWS, ROWS_PER_OCTAVE, rowEdge } from "../core/histogram.ts";
import type { LatencyMap } from "../core/latency_map.ts";
import { latencyTicks, LiveTop, rampEdge, rampStep } from "../core/scale.ts";
import { clock, count, durationNs, percent, spanMs } from "../core/units.ts";
import { color, hatch, onPixelRatio, onTheme, pixel } from "./theme.ts";

export type MapMode = "count" | "time";

interface Props {
  title: string;
  map: LatencyMap;
  from: number;
  to: number;
  unixMs: number;
  mode: MapMode;
  onMode: (mode: MapMode) => void;
}

const LEFT = 58;
const BOTTOM = 20;
const TOP = 6;

/** How rows are put together and where they stand. */
interface Rows {
  low: number;
  high: number;
  /** Rows of the map that make one row of the picture. */
  each: number;
}

/** Whole octaves around what there is, at least three, and rows of four pixels or more. */
export function rowsOf(used: [number, number], pixels: number): Rows {
  const octave = (row: number) => Math.floor((Math.max(1, row) - 1) / ROWS_PER_OCTAVE);
  let [low, high] = [octave(used[0]), octave(used[1]) + 1];
  while (high - low < 3) {
    if (low > 0) low -= 1;
    if (high - low < 3 && high < 28) high += 1;
  }
  const most = pixels / 4 / (high - low);
  const each = [1, 2, 4, 8].find((one) => ROWS_PER_OCTAVE / one <= most) ?? 8;
  return { low: 1 + low * ROWS_PER_OCTAVE, high: Math.min(ROWS, 1 + high * ROWS_PER_OCTAVE), each };
}

/** What one cell of the picture is worth: I/Os, or time waited, per second and octave. */
function cell(map: LatencyMap, column: number, row: number, rows: Rows, mode: MapMode): { n: number; worth: number } {
  let n = 0;
  let weight = 0;
  const first = row === rows.low ? 0 : row;
  for (let part = first; part < Math.min(row + rows.each, ROWS); part++) {
    const here = map.count(column, part);
    n += here;
    weight += mode === "count" ? here : (here * (rowEdge(part) + rowEdge(part + 1))) / 2e9;
  }
  const seconds = map.column(column).seconds || 1;
  return { n, worth: (weight / seconds) * (ROWS_PER_OCTAVE / rows.each) };
}

interface View {
  rows: Rows;
  top: number;
  x: (time: number) => number;
  y: (ns: number) => number;
  width: number;
  height: number;
}

export function HeatMap(props: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const top = useRef(new LiveTop());
  const view = useRef<View | null>(null);
  const now = useRef(props);
  now.current = props;
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  const draw = () => {
    if (canvas.current) view.current = paint(canvas.current, now.current, top.current);
  };
  useEffect(draw);
  useEffect(() => {
    const size = new ResizeObserver(draw);
    if (canvas.current) size.observe(canvas.current);
    const offTheme = onTheme(draw);
    const offRatio = onPixelRatio(draw);
    return () => {
      size.disconnect();
      offTheme();
      offRatio();
    };
  }, []);

  const { title, map, mode, onMode } = props;
  const reading = at && view.current ? readingOf(view.current, props, at) : null;
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const by = steps[event.key];
    if (event.key === "v") onMode(mode === "count" ? "time" : "count");
    else if (by && view.current) {
      const size = event.shiftKey ? 40 : 4;
      const before = at ?? { x: view.current.width - 4, y: view.current.height / 2 };
      setAt({
        x: Math.max(LEFT, Math.min(view.current.width - 1, before.x + by[0] * size)),
        y: Math.max(TOP, Math.min(view.current.height - 1, before.y + by[1] * size)),
      });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const steps = [1, 2, 3, 4, 5, 6, 7, 8];
  const most = view.current?.top ?? 0;
  const worth = (step: number) => (mode === "count" ? count(Math.round(rampEdge(step, most))) : durationNs(rampEdge(step, most) * 1e9));
  return (
    <figure class="card chart" tabIndex={0} onKeyDown={press} aria-label={`${title}. ${described(map)}`}>
      <div class="head">
        <h3>{title}</h3>
        <div class="side">
          <button type="button" class="quiet" aria-pressed={mode === "count"} onClick={() => onMode("count")}>count</button>
          <button type="button" class="quiet" aria-pressed={mode === "time"} onClick={() => onMode("time")}>time waited</button>
        </div>
      </div>
      <canvas
        ref={canvas}
        class="map"
        aria-hidden="true"
        onPointerMove={(event) => setAt({ x: event.offsetX, y: event.offsetY })}
        onPointerLeave={() => setAt(null)}
      />
      <p class="reading"><span role="status">{reading}</span>{!reading && described(map)}</p>
      <p class="legend">
        <span>
          {mode === "count" ? "I/Os" : "time waited"} per second and octave: above 0{" "}
          <span class="swatches">{steps.map((step) => <i key={step} class={`w${step}`} title={`from ${worth(step)}`} />)}</span>{" "}
          {mode === "count" ? count(most) : durationNs(most * 1e9)}; steps from {[3, 5, 7].map(worth).join(", ")}
        </span>
        <span><i class="key k0" aria-hidden="true" />p50 (lower) and p99, where ten I/Os or more are slower</span>
      </p>
    </figure>
  );
}

/** In words: how many, and between what. */
export function described(map: LatencyMap): string {
  const used = map.rows();
  if (!used) return "No I/O was traced in this time.";
  let n = 0;
  for (let index = 0; index < map.length; index++) n += map.column(index).n;
  const newest = map.column(map.length - 1);
  const quantiles = [["p50", newest.p50], ["p99", newest.p99]].filter(([, ns]) => ns !== null);
  const now = quantiles.map(([name, ns]) => `${name} ${durationNs(ns as number)}`).join(", ");
  return `${count(n)} I/Os between ${durationNs(rowEdge(used[0]))} and ${durationNs(rowEdge(used[1] + 1))}${now ? `; now ${now}` : ""}.`;
}

function paint(canvas: HTMLCanvasElement, props: Props, liveTop: LiveTop): View | null {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width < LEFT + 20 || height < 60) return null;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d")!;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, wide, high);
  const used = props.map.rows();
  if (!used) return null;
  const plot = height - BOTTOM - TOP;
  const rows = rowsOf(used, plot);
  const [bottom, ceiling] = [Math.log2(rowEdge(rows.low)), Math.log2(rowEdge(rows.high))];
  const view: View = {
    rows, width, height,
    top: topWorth(props, rows, liveTop),
    x: (time) => LEFT + ((time - props.from) / (props.to - props.from)) * (width - LEFT),
    y: (ns) => TOP + (1 - (Math.log2(Math.max(ns, 1)) - bottom) / (ceiling - bottom)) * plot,
  };
  cells(context, view, props, ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  grid(context, view, props);
  quantileLines(context, view, props);
  return view;
}

function topWorth(props: Props, rows: Rows, liveTop: LiveTop): number {
  let most = 0;
  for (let column = 0; column < props.map.length; column++) {
    if (props.map.column(column).at < props.from) continue;
    for (let row = rows.low; row < rows.high; row += rows.each) most = Math.max(most, cell(props.map, column, row, rows, props.mode).worth);
  }
  return liveTop.at(props.to, most);
}

function cells(context: CanvasRenderingContext2D, view: View, props: Props, ratio: number): void {
  const [left, top] = [Math.round(LEFT * ratio), Math.round(TOP * ratio)];
  const wide = context.canvas.width - left;
  const high = Math.round((view.height - BOTTOM) * ratio) - top;
  const image = context.createImageData(wide, high);
  const pixels = new Uint32Array(image.data.buffer);
  const ramp = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((step) => (step === 0 ? 0 : pixel(`q${step}`)));
  let covered = 0;
  const missing: [number, number][] = [];
  for (let column = 0; column < props.map.length; column++) {
    const { at, seconds } = props.map.column(column);
    if (at < props.from) continue;
    const x0 = Math.max(0, Math.round(view.x(at - seconds) * ratio) - left);
    const x1 = Math.min(wide, Math.max(x0 + 1, Math.round(view.x(at) * ratio) - left));
    if (x0 > covered + 2 * ratio) missing.push([covered, x0]);
    covered = x1;
    for (let row = view.rows.low; row < view.rows.high; row += view.rows.each) {
      const step = rampStep(cell(props.map, column, row, view.rows, props.mode).worth, view.top);
      if (step === 0) continue;
      const y0 = Math.max(0, Math.round(view.y(rowEdge(row + view.rows.each)) * ratio) - top);
      const y1 = Math.min(high, Math.max(y0 + 1, Math.round(view.y(rowEdge(row)) * ratio) - top));
      for (let y = y0; y < y1; y++) pixels.fill(ramp[step], y * wide + x0, y * wide + x1);
    }
  }
  context.putImageData(image, left, top);
  if (covered < wide - 8 * ratio) missing.push([covered, wide]);
  context.save();
  context.globalAlpha = 0.45;
  context.fillStyle = hatch(context);
  for (const [start, end] of missing) context.fillRect(left + start, top, end - start, high);
  context.restore();
}

function grid(context: CanvasRenderingContext2D, view: View, props: Props): void {
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  const ticks = latencyTicks(rowEdge(view.rows.low), rowEdge(view.rows.high));
  for (const ns of ticks) {
    const y = view.y(ns);
    context.fillStyle = color("rule");
    context.globalAlpha = 0.7;
    context.fillRect(LEFT, Math.round(y), view.width - LEFT, 1);
    context.globalAlpha = 1;
    context.fillStyle = color("ink2");
    if (y > TOP + 4 && y < view.height - BOTTOM - 2) context.fillText(durationNs(ns), LEFT - 6, y);
  }
  context.textBaseline = "alphabetic";
  const span = props.to - props.from;
  const most = Math.max(2, Math.min(6, (view.width - LEFT) / 64));
  const step = [5, 10, 15, 30, 60, 300, 600].find((one) => span / one <= most) ?? 900;
  for (let back = 0; back <= span; back += step) {
    const x = view.x(props.to - back);
    const words = back === 0 ? "now" : back < 120 ? `−${back} s` : `−${back / 60} min`;
    context.textAlign = back === 0 ? "right" : x < LEFT + 24 ? "left" : "center";
    context.fillText(words, x, view.height - 4);
  }
}

function quantileLines(context: CanvasRenderingContext2D, view: View, props: Props): void {
  for (const name of ["p50", "p99"] as const) {
    const path = new Path2D();
    let isDown = false;
    for (let column = 0; column < props.map.length; column++) {
      const { at, seconds, [name]: ns } = props.map.column(column);
      if (at < props.from) continue;
      if (ns === null) {
        isDown = false;
        continue;
      }
      const [x0, x1, y] = [Math.max(LEFT, view.x(at - seconds)), view.x(at), view.y(ns)];
      if (isDown) path.lineTo(x0, y);
      else path.moveTo(x0, y);
      path.lineTo(x1, y);
      isDown = true;
    }
    context.lineJoin = "round";
    context.strokeStyle = color("surface");
    context.lineWidth = 3.5;
    context.stroke(path);
    context.strokeStyle = color("ink");
    context.lineWidth = 1.4;
    context.stroke(path);
  }
}

function readingOf(view: View, props: Props, at: { x: number; y: number }): string | null {
  const { map, to, unixMs } = props;
  for (let column = 0; column < map.length; column++) {
    const one = map.column(column);
    if (at.x < view.x(one.at - one.seconds) || at.x >= view.x(one.at)) continue;
    for (let row = view.rows.low; row < view.rows.high; row += view.rows.each) {
      if (at.y < view.y(rowEdge(row + view.rows.each)) || at.y >= view.y(rowEdge(row))) continue;
      const { n } = cell(map, column, row, view.rows, "count");
      let slower = 0;
      for (let above = row + view.rows.each; above < ROWS; above++) slower += map.count(column, above);
      const share = (part: number) => (one.n ? percent((100 * part) / one.n) : "–");
      const edges = `${durationNs(rowEdge(row))} to ${durationNs(rowEdge(row + view.rows.each))}`;
      return `${clock(unixMs - (to - one.at) * 1000)}, ${spanMs(one.seconds * 1000)}: ${edges}: ${count(n)} of ${count(one.n)} I/Os (${share(n)}); ${share(slower)} slower`;
    }
  }
  return null;
}
