// Values over time in memory of a fixed size: the newest samples as they came, and an hour by the second.

/** The last `capacity` rows of a time and some values; a value that is not there is NaN. */
export class Ring {
  readonly times: Float64Array;
  readonly columns: Float32Array[];
  private next = 0;
  private filled = 0;

  constructor(
    readonly capacity: number,
    width: number,
  ) {
    this.times = new Float64Array(capacity);
    this.columns = Array.from({ length: width }, () => new Float32Array(capacity));
  }

  get length(): number {
    return this.filled;
  }

  /** Adds a row; the oldest one goes where there is no room. A time that is not after the last one is left out. */
  push(time: number, values: readonly number[]): boolean {
    if (this.filled > 0 && time <= this.timeAt(this.filled - 1)) return false;
    this.times[this.next] = time;
    for (let column = 0; column < this.columns.length; column++) this.columns[column][this.next] = values[column] ?? NaN;
    this.next = (this.next + 1) % this.capacity;
    this.filled = Math.min(this.filled + 1, this.capacity);
    return true;
  }

  /** Where row `index`, counted from the oldest, lies. */
  private place(index: number): number {
    return (this.next - this.filled + index + this.capacity) % this.capacity;
  }

  timeAt(index: number): number {
    return this.times[this.place(index)];
  }

  valueAt(column: number, index: number): number {
    return this.columns[column][this.place(index)];
  }

  /** The first row whose time is not before `time`; `length` where there is none. */
  firstFrom(time: number): number {
    let low = 0;
    let high = this.filled;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeAt(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** First, least, greatest and last of each second. */
class Seconds {
  private readonly rings: Ring;
  private second = NaN;
  private readonly open: Float64Array;

  constructor(
    capacity: number,
    readonly width: number,
  ) {
    this.rings = new Ring(capacity, width * 4);
    this.open = new Float64Array(width * 4).fill(NaN);
  }

  add(time: number, values: readonly number[]): void {
    const second = Math.floor(time);
    if (second !== this.second) {
      this.close();
      this.second = second;
    }
    for (let column = 0; column < this.width; column++) {
      const value = values[column] ?? NaN;
      if (Number.isNaN(value)) continue;
      const at = column * 4;
      if (Number.isNaN(this.open[at])) this.open[at] = value;
      this.open[at + 1] = Number.isNaN(this.open[at + 1]) ? value : Math.min(this.open[at + 1], value);
      this.open[at + 2] = Number.isNaN(this.open[at + 2]) ? value : Math.max(this.open[at + 2], value);
      this.open[at + 3] = value;
    }
  }

  private close(): void {
    if (!Number.isNaN(this.second)) this.rings.push(this.second, Array.from(this.open));
    this.open.fill(NaN);
  }

  /** Calls with the four values of each whole second from `from` on. */
  each(column: number, from: number, visit: (time: number, values: [number, number, number, number]) => void): void {
    for (let index = this.rings.firstFrom(from); index < this.rings.length; index++) {
      const value = (part: number) => this.rings.valueAt(column * 4 + part, index);
      visit(this.rings.timeAt(index), [value(0), value(1), value(2), value(3)]);
    }
  }

  oldest(): number {
    return this.rings.length ? this.rings.timeAt(0) : Infinity;
  }
}

/** Five minutes of ten samples a second. */
export const FINE_ROWS = 3000;
/** An hour of seconds. */
export const COARSE_ROWS = 3600;

/** What a chart is drawn from: strictly ascending seconds, and `null` where nothing was measured. */
export interface Drawn {
  x: number[];
  y: (number | null)[];
  /** From and to where no sample was taken; a value that a sample has not is no gap. */
  gaps: [number, number][];
}

/** Values over the last hour: the last minutes sample by sample, all of it by the second. */
export class History {
  private readonly fine: Ring;
  private readonly coarse: Seconds;

  constructor(
    readonly width: number,
    fineRows = FINE_ROWS,
    coarseRows = COARSE_ROWS,
  ) {
    // The last column is how long a sample is about.
    this.fine = new Ring(fineRows, width + 1);
    this.coarse = new Seconds(coarseRows, width);
  }

  /** Adds one sample at the end of the time that it is about; both in seconds. */
  push(time: number, seconds: number, values: readonly number[]): void {
    if (this.fine.push(time, [...values, seconds])) this.coarse.add(time, values);
  }

  get newest(): number {
    return this.fine.length ? this.fine.timeAt(this.fine.length - 1) : NaN;
  }

  /**
   * The mean of each column from a moment on, of the samples that have a value. A column with a weight, such as a mean time
   * with its rate, is weighed by that column: a mean of means would not be one.
   */
  means(from: number, weights: readonly (number | null)[] = []): number[] {
    return Array.from({ length: this.width }, (_, column) => {
      let sum = 0;
      let all = 0;
      for (let index = this.fine.firstFrom(from); index < this.fine.length; index++) {
        const value = this.fine.valueAt(column, index);
        if (Number.isNaN(value)) continue;
        const by = weights[column] ?? null;
        const weight = by === null ? 1 : this.fine.valueAt(by, index);
        sum += value * weight;
        all += weight;
      }
      return all > 0 ? sum / all : NaN;
    });
  }

  latest(column: number): number {
    return this.fine.length ? this.fine.valueAt(column, this.fine.length - 1) : NaN;
  }

  /**
   * Values from `from` on, at most four a pixel column: first, least, greatest and last of it, so that no spike is lost.
   * Where no sample is about a time the line breaks; one that came late is about all of the time since the one before.
   */
  drawn(column: number, from: number, to: number, pixels: number): Drawn {
    const out = new Columns(from, to, pixels);
    const fineFrom = this.fine.length ? this.fine.timeAt(0) : Infinity;
    if (from < fineFrom && this.coarse.oldest() < fineFrom) {
      this.coarse.each(column, from, (time, values) => {
        if (time + 1 > fineFrom) return;
        values.forEach((value, part) => out.add(time + part / 4, 0.25, value));
        out.covers(time + 1);
      });
    }
    for (let index = this.fine.firstFrom(from); index < this.fine.length; index++) {
      out.add(this.fine.timeAt(index), this.fine.valueAt(this.width, index), this.fine.valueAt(column, index));
    }
    return out.end();
  }
}

/** Gathers points into pixel columns. */
class Columns {
  private readonly x: number[] = [];
  private readonly y: (number | null)[] = [];
  private column = NaN;
  private points: [number, number][] = [];
  private readonly gaps: [number, number][] = [];
  /** Time of the last sample, and whether it had a value. */
  private last = NaN;
  private hadValue = false;

  constructor(
    private readonly from: number,
    private readonly to: number,
    private readonly pixels: number,
  ) {}

  add(time: number, seconds: number, value: number): void {
    const isGap = time - seconds - this.last > 0.5 * seconds + 0.05;
    if (isGap) this.gaps.push([this.last, time]);
    const isAbsent = Number.isNaN(value);
    if (this.hadValue && (isGap || isAbsent)) {
      this.flush();
      this.put((this.last + time) / 2, null);
    }
    this.last = time;
    this.hadValue = !isAbsent;
    if (isAbsent) return;
    const column = Math.floor(((time - this.from) / (this.to - this.from)) * this.pixels);
    if (column !== this.column) this.flush();
    this.column = column;
    this.points.push([time, value]);
  }

  /** Says that everything up to a moment is told. */
  covers(time: number): void {
    this.last = time;
  }

  private put(time: number, value: number | null): void {
    if (this.x.length && time <= this.x[this.x.length - 1]) return;
    this.x.push(time);
    this.y.push(value);
  }

  private flush(): void {
    const points = this.points;
    if (points.length > 4) {
      let least = 0;
      let most = 0;
      points.forEach(([, value], index) => {
        if (value < points[least][1]) least = index;
        if (value > points[most][1]) most = index;
      });
      const kept = [...new Set([0, least, most, points.length - 1])].sort((a, b) => a - b);
      kept.forEach((index) => this.put(...points[index]));
    } else {
      points.forEach((point) => this.put(...point));
    }
    this.points = [];
  }

  end(): Drawn {
    this.flush();
    return { x: this.x, y: this.y, gaps: this.gaps };
  }
}
