// Latencies over time, of fixed size: columns of counts by row, the newest last.

import { quantileNs, isSupported, rowOf, ROWS, total, type Sparse } from "./histogram.ts";

export const MAP_COLUMNS = 300;

/** What is known of a column beside its counts. */
export interface MapColumn {
  /** End of its time, seconds. */
  at: number;
  /** How long it is about, seconds. */
  seconds: number;
  n: number;
  p50: number | null;
  p99: number | null;
  /** Upper end of the last bucket with anything in it is the greatest latency that can be told. */
  max: number | null;
}

/** Shorter spans are put together: five minutes then fit into the columns. */
const LEAST_SECONDS = 0.95;

/** The last [`MAP_COLUMNS`] spans of a device and direction. */
export class LatencyMap {
  readonly counts: Uint32Array;
  private readonly columns: (MapColumn | null)[];
  private next = 0;
  private filled = 0;
  /** Counts by bucket of the newest column, from which its percentiles are worked out. */
  private open = new Map<number, number>();

  constructor(readonly capacity = MAP_COLUMNS) {
    this.counts = new Uint32Array(capacity * ROWS);
    this.columns = new Array<MapColumn | null>(capacity).fill(null);
  }

  get length(): number {
    return this.filled;
  }

  push(at: number, seconds: number, counts: Sparse): void {
    const last = this.filled ? this.column(this.filled - 1) : null;
    // The next span goes into the newest column while that is short and they touch.
    const joins = last !== null && last.seconds < LEAST_SECONDS && Math.abs(at - seconds - last.at) < seconds;
    if (!joins) {
      this.open = new Map();
      this.counts.fill(0, this.next * ROWS, (this.next + 1) * ROWS);
      this.next = (this.next + 1) % this.capacity;
      this.filled = Math.min(this.capacity, this.filled + 1);
    }
    const place = this.place(this.filled - 1);
    for (const [bucket, n] of counts) {
      this.counts[place * ROWS + rowOf(bucket)] += n;
      this.open.set(bucket, (this.open.get(bucket) ?? 0) + n);
    }
    const merged = [...this.open].sort(([a], [b]) => a - b);
    const n = total(merged);
    const quantile = (q: number) => (isSupported(n, q) ? quantileNs(merged, q) : null);
    this.columns[place] = {
      at, seconds: seconds + (joins ? last.seconds : 0), n, p50: quantile(0.5), p99: quantile(0.99), max: quantileNs(merged, 1),
    };
  }

  private place(index: number): number {
    return (this.next - this.filled + index + this.capacity) % this.capacity;
  }

  /** Column `index`, counted from the oldest. */
  column(index: number): MapColumn {
    return this.columns[this.place(index)]!;
  }

  count(index: number, row: number): number {
    return this.counts[this.place(index) * ROWS + row];
  }

  /** The rows that hold anything, over all of it and not only what is in view; none when nothing does. */
  rows(): [number, number] | null {
    let low = ROWS;
    let high = -1;
    for (let index = 0; index < this.filled; index++) {
      for (let row = 0; row < ROWS; row++) {
        if (this.count(index, row) > 0) {
          low = Math.min(low, row);
          high = Math.max(high, row);
        }
      }
    }
    return high < 0 ? null : [low, high];
  }
}
