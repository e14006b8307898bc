// Numbers as people read them: the same words and digits as crates/ground/model/src/units.rs, which tests/units.test.ts holds
// this against.

/** Fixed digits with ties to even, as Rust's formatter has it; toFixed rounds them up. */
function fixed(value: number, digits: number): string {
  const shifted = value * 10 ** digits;
  const isTie = Math.abs(shifted % 1) === 0.5 && shifted / 10 ** digits === value;
  if (!isTie) return value.toFixed(digits);
  const down = Math.floor(shifted);
  return ((down % 2 === 0 ? down : down + 1) / 10 ** digits).toFixed(digits);
}

function threeDigits(value: number): string {
  const size = Math.abs(value);
  return fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

function scaled(value: number, base: number, suffixes: readonly string[]): string {
  let rest = value;
  let rank = 0;
  while (Math.abs(rest) >= base * 0.9995 && rank + 1 < suffixes.length) {
    rest /= base;
    rank += 1;
  }
  if (rank === 0 && rest % 1 === 0) return `${rest.toFixed(0)}${suffixes[0]}`;
  return `${threeDigits(rest)}${suffixes[rank]}`;
}

const BYTES = [" B", " KiB", " MiB", " GiB", " TiB", " PiB"] as const;
const COUNTS = ["", " k", " M", " G"] as const;
const TIMES = [" ns", " µs", " ms", " s"] as const;

/** Bytes: `4.00 KiB`, `1.46 GiB`. */
export const bytes = (value: number): string => scaled(value, 1024, BYTES);

/** A byte rate: `118 MiB/s`. */
export const bytesPerS = (value: number): string => `${bytes(value)}/s`;

/** A count or a rate of operations: `950`, `41.2 k`, `1.20 M`. */
export function count(value: number): string {
  if (value < 1000 && value % 1 !== 0) return threeDigits(value);
  return scaled(value, 1000, COUNTS);
}

/** A time in nanoseconds: `84.0 µs`, `12.4 ms`. */
export const durationNs = (value: number): string => scaled(value, 1000, TIMES);

/** A span in milliseconds: `450 ms`, `12 s`, `4 min 10 s`. */
export function spanMs(value: number): string {
  const ms = Math.max(0, Math.round(value));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 10_000) return `${fixed(ms / 1e3, 1)} s`;
  if (ms < 120_000) return `${Math.floor((ms + 500) / 1000)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.floor((ms % 60_000) / 1000);
  return seconds < 1 ? `${minutes} min` : `${minutes} min ${seconds} s`;
}

/** A ratio minus one as a signed per cent: `+11 %`, `−0.4 %`, `−99.96 %`; from ten times on `×542`. As `units::percent_signed` has it. */
export function percentSigned(effect: number): string {
  if (Number.isFinite(effect) && effect >= 9) return `×${fixed(1 + effect, 0)}`;
  const percent = effect * 100;
  const size = Math.abs(percent);
  const isNearlyAll = percent < 0 && size >= 99.5 && size < 99.9995;
  const digits = isNearlyAll ? ([1, 2].find((some) => !fixed(size, some).startsWith("100")) ?? 3) : size < 9.95 ? 1 : 0;
  const text = fixed(size, digits);
  const sign = /^[0.]*$/.test(text) ? "" : percent < 0 ? "−" : "+";
  return `${sign}${text} %`;
}

/** A share of 0 to 100 without a sign: `98 %`, `3.4 %`. */
export const percent = (value: number): string => `${fixed(value, Math.abs(value) < 9.95 ? 1 : 0)} %`;

/** How long ago a moment was: `now`, `5 min ago`, `3 days ago`. */
export function ago(unixMs: number, nowMs: number): string {
  const minutes = Math.floor((nowMs - unixMs) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 60 * 48) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 1440)} days ago`;
}

const two = (value: number): string => String(value).padStart(2, "0");

/** A moment in the browser's own zone: `2026-11-21 22:45`. */
export function moment(unixMs: number): string {
  const date = new Date(unixMs);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(unixMs).slice(0, 5)}`;
}

/** The time of day in the browser's own zone: `22:45:07`. */
export function clock(unixMs: number): string {
  const date = new Date(unixMs);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** What an axis or a column measures. */
export type Kind = "count" | "bytes" | "bytes/s" | "ns" | "ms" | "percent" | "plain";

/** One unit for a whole axis: what to divide by and what to call it. */
export interface AxisUnit {
  divisor: number;
  /** With a leading space where there is one: ` MiB/s`, ` k`. */
  suffix: string;
}

/** The unit for an axis whose greatest value is `top`, chosen once so that ticks can be compared. */
export function axisUnit(kind: Kind, top: number): AxisUnit {
  const pick = (base: number, suffixes: readonly string[], tail: string): AxisUnit => {
    let rank = 0;
    let divisor = 1;
    while (top / divisor >= base && rank + 1 < suffixes.length) {
      divisor *= base;
      rank += 1;
    }
    return { divisor, suffix: `${suffixes[rank]}${tail}` };
  };
  switch (kind) {
    case "count":
      return pick(1000, COUNTS, "");
    case "bytes":
      return pick(1024, BYTES, "");
    case "bytes/s":
      return pick(1024, BYTES, "/s");
    case "ns":
      return pick(1000, TIMES, "");
    case "ms": {
      const unit = axisUnit("ns", top * 1e6);
      return { divisor: unit.divisor / 1e6, suffix: unit.suffix };
    }
    case "percent":
      return { divisor: 1, suffix: " %" };
    case "plain":
      return { divisor: 1, suffix: "" };
  }
}

/** A value of a kind, in the unit that suits it. */
export function value(kind: Kind, amount: number): string {
  switch (kind) {
    case "count":
      return count(amount);
    case "bytes":
      return bytes(amount);
    case "bytes/s":
      return bytesPerS(amount);
    case "ns":
      return durationNs(amount);
    case "ms":
      return durationNs(amount * 1e6);
    case "percent":
      return percent(amount);
    case "plain":
      return threeDigits(amount);
  }
}
