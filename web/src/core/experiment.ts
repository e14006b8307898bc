// An experiment at work, from the steps that a tune streams: what leads, how far the interval has closed, how long it lasts.

export interface Arm {
  arm: string;
  /** Ratio minus one against the value that is set now. */
  effect: number | null;
  /** Bounds of it; one that is still open is as far as it can be. */
  low: number;
  high: number;
  dropped: boolean;
  /** The same in words, each and all together: `none +5.1 % (+3.8 % to open), leading`. */
  change: string;
  interval: string;
  standing: string;
  words: string;
}

/** The interval after so many pairs, as the logarithm of a ratio. */
export interface Interval {
  n: number;
  low: number;
  high: number;
  estimate: number;
}

export interface ExperimentView {
  knob: string;
  device: string;
  sentence: string;
  stage: string;
  pairs: number;
  /** The value that is set now. */
  first: string;
  arms: Arm[];
  /** Which arm the intervals are about. */
  shown: string | null;
  running: Interval[];
  /** What the load does, with its unit. */
  rate: string;
  leftMs: number | null;
  spentMs: number;
}

type Document = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

function armsOf(step: Document): Arm[] {
  const list = Array.isArray(step.arms) ? (step.arms as Document[]) : [];
  return list.filter((arm) => arm && typeof arm === "object").map((arm) => ({
    arm: text(arm.arm), effect: number(arm.effect), low: number(arm.low) ?? -1, high: number(arm.high) ?? Infinity, dropped: arm.dropped === true,
    change: text(arm.change) || "–", interval: text(arm.interval) || "–", standing: text(arm.standing), words: text(arm.words) || text(arm.arm),
  }));
}

const isStep = (step: Document): boolean => step.schema === "iodyno.step/1";

/** The newest experiment in the documents of a tune; none where none has begun. */
export function experimentOf(documents: readonly Document[]): ExperimentView | null {
  const steps = documents.filter(isStep);
  const last = steps[steps.length - 1];
  if (!last) return null;
  const mine = steps.filter((step) => step.knob === last.knob && step.device === last.device);
  // While a hold-out or an audit runs there is no race to tell of: what it left stays.
  const compared = [...mine].reverse().find((step) => armsOf(step).some((arm) => arm.effect !== null)) ?? last;
  const arms = armsOf(compared);
  const best = arms.filter((arm) => arm.effect !== null && !arm.dropped).sort((a, b) => Math.abs(b.effect!) - Math.abs(a.effect!))[0];
  const shown = best?.arm ?? null;
  const running: Interval[] = [];
  for (const step of mine) {
    if (step.stage !== "pairs" && step.stage !== "race") continue;
    const arm = armsOf(step).find((one) => one.arm === shown);
    const n = number(step.pairs) ?? 0;
    if (!arm || arm.effect === null || n < 1) continue;
    const at = { n, low: Math.log(Math.max(1 + arm.low, 1e-3)), high: Math.log(1 + arm.high), estimate: Math.log(1 + arm.effect) };
    if (running.length && running[running.length - 1].n === n) running[running.length - 1] = at;
    else if (!running.length || n > running[running.length - 1].n) running.push(at);
  }
  const stage = text(last.stage_words) || text(last.stage) || "decided";
  const leftMs = number(last.left_ms);
  const left = text(last.left_words) ? `, some ${text(last.left_words)} left` : "";
  const lead = best ? best.words : `${stage} at ${text(last.rate_words) || "an unknown rate"}`;
  return {
    knob: text(last.knob), device: text(last.device), sentence: `${text(last.knob)}: ${lead}${left}`, stage,
    pairs: number(last.pairs) ?? 0, first: Array.isArray(last.values) ? text(last.values[0]) : "", arms, shown, running,
    rate: text(last.rate_words), leftMs, spentMs: number(last.spent_ms) ?? 0,
  };
}
