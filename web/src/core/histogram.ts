// fio's bucket layout, as crates/ground/model/src/histogram.rs has it: 29 groups of 64 buckets, 0 to 2^34 ns.

export const BUCKETS = 29 * 64;

/** Counts by bucket: `[[bucket, count], …]`, ascending. */
export type Sparse = ReadonlyArray<readonly [number, number]>;

/** The least nanosecond of a bucket, which is where the one before it ends. */
export function edgeOf(bucket: number): number {
  if (bucket < 128) return bucket;
  const shift = (bucket >> 6) - 1;
  return (64 + (bucket & 63)) * 2 ** shift;
}

/** What fio prints for a bucket: its midpoint, truncated. */
export function valueOf(bucket: number): number {
  if (bucket < 128) return bucket;
  const shift = (bucket >> 6) - 1;
  return 2 ** (shift + 6) + Math.floor(((bucket & 63) + 0.5) * 2 ** shift);
}

/** The bucket of a latency. */
export function bucketOf(ns: number): number {
  if (ns < 128) return Math.max(0, Math.floor(ns));
  const shift = Math.floor(Math.log2(ns)) - 6;
  const index = ((shift + 1) << 6) + (Math.floor(ns / 2 ** shift) & 63);
  return Math.min(index, BUCKETS - 1);
}

/** Completions in all. */
export const total = (counts: Sparse): number => counts.reduce((sum, [, n]) => sum + n, 0);

/** The latency that a share of completions did not exceed; none when empty. */
export function quantileNs(counts: Sparse, quantile: number): number | null {
  const n = total(counts);
  const rank = Math.max(1, Math.ceil(Math.min(1, Math.max(0, quantile)) * n));
  let seen = 0;
  for (const [bucket, more] of counts) {
    seen += more;
    if (seen >= rank) return valueOf(bucket);
  }
  return null;
}

/** Whether a percentile of `n` values rests on at least ten beyond it. */
export const isSupported = (n: number, quantile: number): boolean => n * (1 - quantile) >= 10 - 1e-6;

/** Rows of a map per octave of latency; each is a union of whole buckets. */
export const ROWS_PER_OCTAVE = 8;
/** Row 0 is everything below 64 ns, then 28 octaves from 64 ns on. */
export const ROWS = 1 + 28 * ROWS_PER_OCTAVE;

/** The row that holds a bucket. */
export function rowOf(bucket: number): number {
  if (bucket < 64) return 0;
  return 1 + Math.floor(((bucket - 64) * ROWS_PER_OCTAVE) / 64);
}

/** The least nanosecond of a row; of the row after the last, where the layout ends. */
export function rowEdge(row: number): number {
  return row === 0 ? 0 : edgeOf(64 + ((row - 1) * 64) / ROWS_PER_OCTAVE);
}
