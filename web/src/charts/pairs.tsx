// Differences of pairs on an axis of the ratio's logarithm, the running interval that closes, and the hold-out apart: the
// only number that is claimed.

import { RATIO_TICKS, ratioReach } from "../core/scale.ts";
import { percentSigned } from "../core/units.ts";

export interface Pair {
  arm: string;
  effect_ln: number;
  default_first?: boolean;
  stage?: string;
}

export interface Interval {
  /** Pairs so far. */
  n: number;
  low: number;
  high: number;
}

interface Props {
  title: string;
  pairs: Pair[];
  /** The running interval, ln of the ratio; where the stream tells it. */
  running?: Interval[];
  /** The hold-out, as ratios minus one. */
  held?: { effect: number; low: number; high: number } | null;
  ropeLn?: number;
}

const WIDTH = 760;
const HEIGHT = 220;
const LEFT = 56;
const RIGHT = 110;
const TOP = 12;
const BOTTOM = 26;

const ln = (ratioMinusOne: number): number => Math.log(1 + ratioMinusOne);

export function PairsChart({ title, pairs, running = [], held, ropeLn = Math.log(1.02) }: Props) {
  const reach = ratioReach([...pairs.map((pair) => pair.effect_ln), ...(held ? [ln(held.low), ln(held.high)] : [])]);
  const n = Math.max(6, pairs.length);
  const x = (pair: number) => LEFT + ((pair + 0.5) / n) * (WIDTH - LEFT - RIGHT);
  const clamp = (value: number) => Math.max(-reach, Math.min(reach, value));
  const y = (value: number) => TOP + ((reach - clamp(value)) / (2 * reach)) * (HEIGHT - TOP - BOTTOM);
  const ticks = RATIO_TICKS.filter(([at]) => Math.abs(at) <= reach && isApart(at, reach));
  const upper = running.map((one) => `${x(one.n - 1)} ${y(one.high)}`);
  const lower = running.map((one) => `${x(one.n - 1)} ${y(one.low)}`).reverse();
  const out = pairs.filter((pair) => Math.abs(pair.effect_ln) > reach).length;
  const middle = (WIDTH - RIGHT + WIDTH) / 2;
  return (
    <div class="pairs">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${words(pairs, held)}`}>
        <rect class="zone" x={LEFT} width={WIDTH - LEFT} y={y(ropeLn)} height={Math.max(1, y(-ropeLn) - y(ropeLn))} />
        {ticks.map(([at, label]) => (
          <g key={label}>
            <line class={at === 0 ? "zero" : "grid"} x1={LEFT} x2={WIDTH} y1={y(at)} y2={y(at)} />
            <text x={LEFT - 6} y={y(at) + 4} text-anchor="end">{label}</text>
          </g>
        ))}
        {running.length > 1 && <path class="ribbon" d={`M${upper.join("L")}L${lower.join("L")}Z`} />}
        {pairs.map((pair, index) => <path key={index} class="dot" d={mark(x(index), y(pair.effect_ln), pair)} />)}
        <line class="grid" x1={WIDTH - RIGHT} x2={WIDTH - RIGHT} y1={TOP} y2={HEIGHT - BOTTOM} />
        {held ? (
          <g>
            <line class="hold" x1={middle} x2={middle} y1={y(ln(held.low))} y2={y(ln(held.high))} />
            <circle class="held" cx={middle} cy={y(ln(held.effect))} r={5} />
            <text class="claim" x={middle} y={Math.max(TOP + 10, y(ln(held.high)) - 8)} text-anchor="middle">{percentSigned(held.effect)}</text>
          </g>
        ) : (
          <text x={middle} y={y(0) - 8} text-anchor="middle">no hold-out yet</text>
        )}
        <text x={LEFT} y={HEIGHT - 8}>pair 1</text>
        <text x={WIDTH - RIGHT - 6} y={HEIGHT - 8} text-anchor="end">pair {pairs.length}</text>
        <text x={middle} y={HEIGHT - 8} text-anchor="middle">hold-out</text>
      </svg>
      <p class="reading">{words(pairs, held)}{out ? ` ${out} beyond the axis, drawn at its edge.` : ""} ▸ the value set now came first, ◂ the other.</p>
    </div>
  );
}

function isApart(at: number, reach: number): boolean {
  // Ticks nearer than a twentieth of the axis collide: keep the rounder one.
  const near = RATIO_TICKS.filter(([other]) => Math.abs(other) <= reach && other !== at && Math.abs(other - at) < reach * 0.14);
  const weight = (value: number) => (value === 0 ? 9 : [0.5, 2, 1 / 3, 3].some((one) => Math.abs(Math.log(one) - value) < 1e-9) ? 5 : Math.abs(value));
  return near.every(([other]) => weight(at) >= weight(other));
}

function mark(x: number, y: number, pair: Pair): string {
  const size = 4;
  const way = pair.default_first ? 1 : -1;
  return `M${x - way * size} ${y - size}L${x + way * size} ${y}L${x - way * size} ${y + size}Z`;
}

function words(pairs: Pair[], held: Props["held"]): string {
  if (!pairs.length) return "No pairs yet.";
  const above = pairs.filter((pair) => pair.effect_ln > 0).length;
  const claim = held ? ` Hold-out: ${percentSigned(held.effect)} (${percentSigned(held.low)} to ${percentSigned(held.high)}).` : "";
  return `${pairs.length} pairs, ${above} above equal.${claim}`;
}
