// The documents of a comparison, a ranking and a history, as crates/ground/model/src/comparison.rs writes them.

import { bytesPerS, count, durationNs, percentSigned } from "./units.ts";

export interface Measure {
  name: string;
  unit: string;
  better: "more" | "less";
  value: number;
  low: number | null;
  high: number | null;
  basis: string;
  n: number;
}

export interface Caveat {
  mark: string;
  why: string;
}

export interface Subject {
  name: string;
  record: number | null;
  verb: string;
  target: string;
  device: string;
  label: string;
  host: string;
  kernel: string;
  source: string;
  unix_ms: number | null;
  caveats: Caveat[];
}

export interface Ratio {
  ratio: number;
  low: number | null;
  high: number | null;
  standing: "same-setting" | "within" | "beyond" | "hint";
}

export interface Cell {
  measure: Measure;
  ratio: Ratio | null;
}

export interface Row {
  measure: string;
  cells: (Cell | null)[];
  repeats?: { records: number[]; settings: number; largest: number; reach: number | null } | null;
}

export interface Difference {
  place: string;
  name: string;
  a: string | null;
  b: string | null;
  weight: number;
  why: string;
  experiment?: string;
}

export interface Spread {
  mean: number;
  low: number | null;
  high: number | null;
}

export interface Curves {
  option: string;
  rows: [string, ({ iops: Spread; p99_ns: Spread } | null)[]][];
  knees: (string | null)[];
}

export interface Comparison {
  schema: string;
  sentence: string;
  base: number;
  subjects: Subject[];
  compared: { name: string; phrase: string; rows: Row[]; unlike: [number, string][]; remarks: string[] }[];
  curves: Curves[];
  settings: { subject: number; differences: Difference[]; same: number }[];
}

export interface Ranking {
  sentence: string;
  jobs: {
    phrase: string;
    by: string;
    ratios: string;
    remarks: string[];
    entries: {
      rank: number;
      label: string;
      records: number[];
      source: string;
      runs: number;
      by: Measure;
      times: number;
      iops: number | null;
      bytes_per_s: number | null;
      mean_ns: number | null;
      p99_ns: number | null;
      caveats: Caveat[];
    }[];
  }[];
  alone: [string, string][];
}

export interface HistorySeries {
  phrase: string;
  place: string;
  part: string;
  measure: string;
  unit: string;
  better: "more" | "less";
  points: { record: number; unix_ms: number; measure: Measure; imported: boolean }[];
  levels: [number, number, number][];
  changes: { at: number; between: [number, number]; effect: number; low: number; high: number; p: number; changed: Difference[] }[];
  not_searched: string | null;
}

export interface HistoryDocument {
  sentence: string;
  alpha: number;
  searched: number;
  seed: number;
  series: HistorySeries[];
}

/** A number of a measure with its unit. */
export function measured(unit: string, value: number): string {
  switch (unit) {
    case "ns":
      return durationNs(value);
    case "bytes/s":
      return bytesPerS(value);
    case "/s":
      return `${count(value)}/s`;
    default:
      return `${count(value)}${unit ? ` ${unit}` : ""}`;
  }
}

/** A ratio as a change in per cent while that can be read, else as a multiple: `+12 %`, `×15`. */
export function ratioWords(ratio: number): string {
  if (ratio > 0.34 && ratio < 3) return percentSigned(ratio - 1);
  return ratio >= 3 ? `×${ratio >= 99.5 ? ratio.toFixed(0) : ratio.toPrecision(2)}` : `÷${(1 / ratio >= 99.5 ? (1 / ratio).toFixed(0) : (1 / ratio).toPrecision(2))}`;
}

/** Whether the change is for the better, for the worse, or cannot be told from none. */
export function direction(ratio: Ratio, better: "more" | "less"): "better" | "worse" | "" {
  if (ratio.standing !== "beyond" && !(ratio.standing === "hint" && ratio.low !== null && ratio.high !== null)) return "";
  const [low, high] = [ratio.low ?? ratio.ratio, ratio.high ?? ratio.ratio];
  if (low <= 1 && high >= 1) return "";
  return (low > 1) === (better === "more") ? "better" : "worse";
}

/** What a ratio of two runs is worth, in words. */
export const STANDING: Record<Ratio["standing"], string> = {
  "same-setting": "the same setting twice",
  within: "within what repeats differ by",
  beyond: "beyond what repeats differ by",
  hint: "one run each: a hint",
};
