// Ranges and ticks of axes, and the steps of the colour ramp.

/** A round number of a unit that is not below `value`: 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten. */
export function niceTop(value: number, unit = 1): number {
  if (!(value > 0)) return unit;
  return unit === 1 ? rounded(value) : rounded(value / unit) * unit;
}

function rounded(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
  const step = steps.find((one) => one * power >= value * (1 - 1e-12)) ?? 10;
  return step * power;
}

/** Some four ticks from 0 to a top, each at most three digits in the axis' unit. */
export function linearTicks(top: number, wanted = 4): number[] {
  const rough = top / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = 0; at <= top * (1 + 1e-9); at += step) ticks.push(Number(at.toPrecision(12)));
  return ticks;
}

/** Whole decades around what is above zero, at least one; a value of zero has no place on such an axis. */
export function logRange(values: Iterable<number>): [number, number] {
  let low = Infinity;
  let high = 0;
  for (const value of values) {
    if (value > 0 && Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (high === 0) return [1, 10];
  const from = 10 ** Math.floor(Math.log10(low) + 1e-12);
  const to = 10 ** Math.ceil(Math.log10(high) - 1e-12);
  return to > from ? [from, to] : [from, from * 10];
}

/** The decades of a range, both ends included. */
export function decades(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.ceil(Math.log10(low) - 1e-9); 10 ** power <= high * (1 + 1e-9); power++) ticks.push(10 ** power);
  return ticks;
}

/** Powers of ten times 1 (and of 2 and 5 where there is room) in nanoseconds, between two latencies. */
export function latencyTicks(low: number, high: number): number[] {
  const few = decades(low, high);
  if (few.length >= 3) return few;
  const more: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const step of [1, 2, 5]) {
      const at = step * 10 ** power;
      if (at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9)) more.push(at);
    }
  }
  return more;
}

/** Where a cell stands on the ramp: 0 is nothing, 1 to `steps` by the root of its share of the top. */
export function rampStep(value: number, top: number, steps = 8): number {
  if (!(value > 0) || !(top > 0)) return 0;
  return Math.min(steps, Math.max(1, Math.ceil(Math.sqrt(value / top) * steps - 1e-9)));
}

/** The least value of a step of the ramp. */
export const rampEdge = (step: number, top: number, steps = 8): number => top * ((step - 1) / steps) ** 2;

/** The top of a live axis: grows at once, shrinks only after a minute below. */
export class LiveTop {
  private top = 0;
  private lowSince = NaN;

  constructor(private readonly holdS = 60) {}

  at(time: number, greatest: number, unit = 1): number {
    const wanted = niceTop(greatest, unit);
    if (wanted >= this.top) {
      this.top = wanted;
      this.lowSince = NaN;
    } else if (Number.isNaN(this.lowSince)) {
      this.lowSince = time;
    } else if (time - this.lowSince > this.holdS) {
      this.top = wanted;
      this.lowSince = NaN;
    }
    return this.top;
  }
}

/** Per cent and multiples on an axis of the natural logarithm of a ratio, on which +100 % and −50 % are equally far. */
export const RATIO_TICKS: ReadonlyArray<readonly [number, string]> = [
  [Math.log(1 / 3), "÷3"],
  [Math.log(0.5), "−50 %"],
  [Math.log(0.8), "−20 %"],
  [Math.log(0.9), "−10 %"],
  [Math.log(0.95), "−5 %"],
  [Math.log(0.98), "−2 %"],
  [0, "0"],
  [Math.log(1.02), "+2 %"],
  [Math.log(1.05), "+5 %"],
  [Math.log(1.1), "+10 %"],
  [Math.log(1.2), "+20 %"],
  [Math.log(1.5), "+50 %"],
  [Math.log(2), "×2"],
  [Math.log(3), "×3"],
];

/** A symmetric range about equal: at least ±10 %, and wide enough for 95 % of the differences. */
export function ratioReach(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).sort((a, b) => a - b);
  const at95 = sizes.length ? sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * 0.95))] : 0;
  return Math.max(Math.log(1.1), at95 * 1.1);
}
