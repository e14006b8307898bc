// Values over time as lines, by uPlot: gaps hatched, one unit an axis, a cursor that the keyboard moves too.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Drawn } from "../core/ring.ts";
import { latencyTicks, LiveTop, linearTicks, logRange, niceTop } from "../core/scale.ts";
import { axisUnit, clock, spanMs, value, type Kind } from "../core/units.ts";
import { color, hatch, onPixelRatio, onTheme } from "./theme.ts";

/** Identity of a line by three channels: its token, its dash and its label. */
export interface Line {
  label: string;
  token: string;
  dash?: number[];
  drawn: Drawn;
}

export const READ: { token: string; dash?: number[] } = { token: "s1" };
export const WRITE: { token: string; dash?: number[] } = { token: "s2", dash: [6, 3] };

interface Props {
  title: string;
  kind: Kind;
  lines: Line[];
  /** Both ends of the x axis, in seconds; `to` is what `unixMs` is about. */
  from: number;
  to: number;
  unixMs: number;
  height?: number;
  /** A top that grows at once and shrinks late. */
  isLive?: boolean;
  caption?: ComponentChildren;
  onZoom?: (direction: 1 | -1 | 0) => void;
}

const least = (drawn: Drawn): number => Math.min(...drawn.y.filter((one): one is number => one !== null));
const most = (lines: Line[]): number => {
  let top = 0;
  for (const line of lines) for (const one of line.drawn.y) if (one !== null && one > top) top = one;
  return top;
};

const latest = (drawn: Drawn): number | null => (drawn.y.length ? drawn.y[drawn.y.length - 1] : null);

/** The text alternative: shape, least, greatest and the newest of each line. */
export function described(kind: Kind, lines: Line[]): string {
  const words = lines.map((line) => {
    const values = line.drawn.y.filter((one) => one !== null);
    if (!values.length) return `${line.label}: nothing was measured`;
    const now = latest(line.drawn);
    const low = value(kind, least(line.drawn));
    const high = value(kind, most([line]));
    return `${line.label}: ${now === null ? "–" : value(kind, now)} now, ${low} to ${high}`;
  });
  return `${words.join("; ")}.`;
}

function aligned(lines: Line[]): uPlot.AlignedData {
  const tables = lines.map((line) => [line.drawn.x, line.drawn.y] as uPlot.AlignedData);
  // A gap of one line goes on over the moments that only another line has.
  return tables.length === 1 ? tables[0] : uPlot.join(tables, tables.map(() => [2, 2]));
}

/** Times are read in ratios: their axis is logarithmic, everything else begins at zero. */
const isLog = (kind: Kind): boolean => kind === "ns" || kind === "ms";

function latencies(lines: Line[]): [number, number] {
  return logRange(lines.flatMap((line) => line.drawn.y.filter((one): one is number => one !== null)));
}

/** What is live is labelled by how long ago it was, what is a record by its own time. */
const timeTick = (props: Props, tick: number): string => {
  if (!props.isLive) return `${Number((tick + props.to).toPrecision(4))} s`;
  const seconds = tick;
  if (Math.abs(seconds) < 1e-6) return "now";
  const size = Math.abs(seconds);
  return size < 120 ? `−${Math.round(size)} s` : `−${Math.round(size / 6) / 10} min`;
};

/** So many that labels do not meet. */
function timeTicks({ from, to, isLive }: Props, pixels: number): number[] {
  const span = to - from;
  const most = Math.max(2, Math.min(6, pixels / 64));
  const step = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].find((one) => span / one <= most) ?? 3600;
  const ticks = Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
  return isLive ? ticks.map((tick) => -tick).reverse() : ticks.map((tick) => tick + Math.ceil(from / step) * step - to).filter((tick) => tick <= 0);
}

export function RatesChart(props: Props) {
  const { title, kind, lines, from, to, unixMs, height = 170 } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const top = useRef(new LiveTop());
  const now = useRef(props);
  now.current = props;
  const [reading, setReading] = useState("");
  const said = useRef(0);
  const labels = lines.map((line) => line.label).join("|");

  useEffect(() => {
    if (!box.current) return;
    const shifted = shift(kind, lines, to);
    const speak = (u: uPlot) => {
      window.clearTimeout(said.current);
      said.current = window.setTimeout(() => setReading(readingOf(u, now.current)), 150);
    };
    const series: uPlot.Series[] = lines.map((line) => ({
      label: line.label,
      stroke: () => color(line.token),
      width: 1.5,
      dash: line.dash,
      spanGaps: false,
      points: { show: (_u, index) => isLonely(now.current.lines[index - 1]), size: 5, fill: () => color(line.token) },
    }));
    const made = new uPlot(
      {
        width: Math.max(200, box.current.clientWidth),
        height,
        legend: { show: false },
        cursor: { sync: { key: "time", scales: ["x", null] }, drag: { x: false, y: false }, points: { size: 6 } },
        scales: { x: { time: false, range: () => [now.current.from - now.current.to, 0] }, y: { distr: isLog(kind) ? 3 : 1, range: () => (isLog(kind) ? latencies(now.current.lines) : [0, topOf(top.current, now.current)]) } },
        axes: [
          axis({ splits: (u) => timeTicks(now.current, u.bbox.width / devicePixelRatio), values: (_u, ticks) => ticks.map((tick) => timeTick(now.current, tick)), space: 60 }),
          axis({
            size: 66,
            splits: (u) => ticksOf(now.current.kind, u.scales.y.min!, u.scales.y.max!),
            values: (u, ticks) => {
              if (isLog(kind)) return ticks.map((tick) => value(kind, tick).replace(/\.0+(?= )/, ""));
              const unit = axisUnit(now.current.kind, u.scales.y.max!);
              return ticks.map((tick) => (tick === 0 ? "0" : `${Number((tick / unit.divisor).toPrecision(3))}${unit.suffix}`));
            },
          }),
        ],
        series: [{}, ...series],
        hooks: { draw: [(u) => drawGaps(u, now.current)], setCursor: [speak] },
      },
      aligned(shifted),
      box.current,
    );
    plot.current = made;
    const size = new ResizeObserver(([entry]) => made.setSize({ width: Math.max(200, entry.contentRect.width), height }));
    size.observe(box.current);
    const offTheme = onTheme(() => made.redraw());
    const offRatio = onPixelRatio(() => made.setSize({ width: made.width, height }));
    return () => {
      offTheme();
      offRatio();
      size.disconnect();
      window.clearTimeout(said.current);
      made.destroy();
      plot.current = null;
    };
  }, [labels, kind, height]);

  useEffect(() => {
    plot.current?.setData(aligned(shift(kind, lines, to)));
  }, [lines, from, to]);

  const press = (event: KeyboardEvent) => {
    const u = plot.current;
    if (!u || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) {
      const at = u.cursor.left !== undefined && u.cursor.left >= 0 ? u.cursor.left : u.bbox.width / devicePixelRatio;
      u.setCursor({ left: Math.max(0, Math.min(u.bbox.width / devicePixelRatio - 1, at + by * (event.shiftKey ? 40 : 4))), top: 10 });
    } else if (event.key === "+" || event.key === "-" || event.key === "0") {
      props.onZoom?.(event.key === "+" ? 1 : event.key === "-" ? -1 : 0);
    } else return;
    event.preventDefault();
  };
  const words = described(kind, lines);
  return (
    <figure class="card chart" tabIndex={0} onKeyDown={press} aria-label={`${title}. ${words}`}>
      <div class="head">
        <h3>{title}</h3>
        <div class="legend">
          {lines.map((line) => {
            const value_ = latest(line.drawn);
            return (
              <span key={line.label}>
                <i class={`key ${line.token === "ink" ? "k0" : line.token.replace("s", "k")}`} aria-hidden="true" />
                {line.label} <b>{value_ === null || value_ === undefined ? "–" : value(kind, value_)}</b>
              </span>
            );
          })}
        </div>
      </div>
      <div class="plot" ref={box} aria-hidden="true" />
      <p class="reading"><span role="status">{reading}</span>{!reading && `${clock(unixMs - (to - from) * 1000)} to ${clock(unixMs)}`}</p>
      {props.caption && <figcaption>{props.caption}</figcaption>}
    </figure>
  );
}

const isLonely = (line: Line | undefined): boolean => !!line && line.drawn.x.length === 1;

/** Seconds before the end of the axis. On a logarithmic axis what is too short to be told from nothing lies at its foot. */
function shift(kind: Kind, lines: Line[], to: number): Line[] {
  const foot = isLog(kind) ? latencies(lines)[0] : -Infinity;
  return lines.map((line) => {
    const x = line.drawn.x.map((one) => one - to);
    const y = line.drawn.y.map((one) => (one === null ? null : Math.max(one, foot)));
    // uPlot wants two points; a single one keeps a neighbour without a value.
    const isOne = x.length === 1;
    return { ...line, drawn: { gaps: line.drawn.gaps, x: isOne ? [x[0] - 1e-3, x[0]] : x, y: isOne ? [null, y[0]] : y } };
  });
}

/** The top in the axis' own unit, so that powers of 1024 end on round numbers too. */
function topOf(top: LiveTop, props: Props): number {
  const greatest = most(props.lines);
  return props.isLive ? top.at(props.to, greatest, divisor(props.kind, greatest)) : niceTop(greatest, divisor(props.kind, greatest));
}

const divisor = (kind: Kind, top: number): number => axisUnit(kind, top).divisor;

const ticksOf = (kind: Kind, low: number, top: number): number[] => {
  if (isLog(kind)) return latencyTicks(low, top);
  const unit = divisor(kind, top);
  return linearTicks(top / unit, 3).map((tick) => tick * unit);
};

const axis = (more: uPlot.Axis): uPlot.Axis => ({
  stroke: () => color("ink2"),
  grid: { stroke: () => color("rule"), width: 1 },
  ticks: { show: false },
  font: "12px system-ui, sans-serif",
  gap: 6,
  size: 28,
  ...more,
});

function drawGaps(u: uPlot, props: Props): void {
  const seen = props.lines[0]?.drawn.gaps ?? [];
  if (!seen.length) return;
  u.ctx.save();
  u.ctx.fillStyle = hatch(u.ctx);
  u.ctx.globalAlpha = 0.5;
  for (const [start, end] of seen) {
    const left = Math.max(u.bbox.left, u.valToPos(start - props.to, "x", true));
    const right = Math.min(u.bbox.left + u.bbox.width, u.valToPos(end - props.to, "x", true));
    if (right > left) u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
  }
  u.ctx.restore();
}

function readingOf(u: uPlot, props: Props): string {
  const index = u.cursor.idx;
  if (index === null || index === undefined || (u.cursor.left ?? -1) < 0) return "";
  const x = u.data[0][index];
  const at = props.unixMs + x * 1000;
  const foot = isLog(props.kind) ? latencies(props.lines)[0] : -Infinity;
  const values = props.lines.map((line, number) => {
    const here = u.data[number + 1][index];
    return `${line.label} ${here === null || here === undefined ? "no value" : `${here <= foot ? "≤ " : ""}${value(props.kind, here)}`}`;
  });
  const when = props.isLive ? `${spanMs(-x * 1000)} ago` : `at ${spanMs((x + props.to) * 1000)}`;
  return `${clock(at)} (${when}): ${values.join(", ")}`;
}
