// The documents of a comparison, a ranking and a history, as crates/ground/model/src/comparison.rs writes them.

import type { Better, Ratio } from "./documents.ts";
import { bytesPerS, count, durationNs, percentSigned } from "./units.ts";

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
export function direction(ratio: Ratio, better: Better): "better" | "worse" | "" {
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
