// An experiment at work, from the steps that a tune streams: what leads, how far the interval has closed, how long it lasts.

import { count, percentSigned, spanMs } from "./units.ts";

export interface Arm {
  arm: string;
  /** Ratio minus one against the value that is set now. */
  effect: number | null;
  /** Bounds of it; one that is still open is as far as it can be. */
  low: number;
  high: number;
  dropped: boolean;
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
  rate: number | null;
  leftMs: number | null;
  spentMs: number;
}

type Document = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

const STAGES: Record<string, string> = {
  headroom: "looking for headroom", settle: "learning how it settles", calibrate: "learning the noise", pairs: "pairs",
  race: "race", audit: "audit for carry-over", holdout: "hold-out", explain: "tracing what moved",
};

function armsOf(step: Document): Arm[] {
  const list = Array.isArray(step.arms) ? (step.arms as Document[]) : [];
  return list.filter((arm) => arm && typeof arm === "object").map((arm) => ({
    arm: text(arm.arm), effect: number(arm.effect), low: number(arm.low) ?? -1, high: number(arm.high) ?? Infinity, dropped: arm.dropped === true,
  }));
}

const isStep = (step: Document): boolean => step.schema === "iodyno.step/1";

/** What an interval says in words while it may still change. */
function claim(arm: Arm): string {
  if (arm.effect === null) return `${arm.arm} is not compared yet`;
  // An interval that is still open on a side has no end to print.
  const bound = (value: number) => (value < 9 && value > -0.999 ? percentSigned(value) : "open");
  const lead = arm.low > 0 ? ", leading" : arm.high < 0 ? ", behind" : ", undecided";
  return `${arm.arm} ${percentSigned(arm.effect)} (${bound(arm.low)} to ${bound(arm.high)})${lead}`;
}

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
  const stage = STAGES[text(last.stage)] ?? (text(last.stage) || "decided");
  const leftMs = number(last.left_ms);
  const left = leftMs === null ? "" : `, some ${spanMs(leftMs)} left`;
  const lead = best ? claim(best) : `${stage} at ${count(Math.round(number(last.rate) ?? 0))} IOPS`;
  return {
    knob: text(last.knob), device: text(last.device), sentence: `${text(last.knob)}: ${lead}${left}`, stage,
    pairs: number(last.pairs) ?? 0, first: Array.isArray(last.values) ? text(last.values[0]) : "", arms, shown, running,
    rate: number(last.rate), leftMs, spentMs: number(last.spent_ms) ?? 0,
  };
}
