// A load that was started from here: what the server tells of it, and what its lines add up to.

import type { Interval, Job, JobEvent } from "./documents.ts";
import type { Drawn } from "./ring.ts";

export const isAtWork = (job: Job): boolean => job.state === "running" || job.state === "stopping";

/** Lines and intervals that are kept of a job; older ones go. */
const MOST_LINES = 500;
const MOST_INTERVALS = 3600;

/** What a page shows of a job: its state, and what its documents were. */
export class JobStory {
  intervals: Interval[] = [];
  readonly steps: Record<string, unknown>[] = [];

  constructor(public job: Job) {
    const last = job.last as Record<string, unknown> | null;
    if (last && typeof last === "object") this.document(last);
  }

  /** Takes an event in; false where it is about another job. */
  take(event: JobEvent): boolean {
    if (event.id !== this.job.id) return false;
    if (event.line) this.job = { ...this.job, progress: [...this.job.progress, event.line].slice(-MOST_LINES) };
    if (event.document) this.document(event.document as Record<string, unknown>);
    if (event.state) {
      this.job = {
        ...this.job, state: event.state, exit: event.exit ?? null, record: event.record ?? this.job.record,
        outcome: event.outcome ?? null, everything_back: event.everything_back ?? null,
      };
    }
    return true;
  }

  /** Takes what the server says now, after events may have been missed. */
  refresh(job: Job): void {
    if (job.id === this.job.id) this.job = job;
  }

  private document(document: Record<string, unknown>): void {
    if (document.schema === "iodyno.interval/1") {
      const interval = document.interval as Interval;
      const last = this.intervals[this.intervals.length - 1];
      if (!last || interval.start_ms > last.start_ms) this.intervals = [...this.intervals, interval].slice(-MOST_INTERVALS);
    } else {
      this.steps.push(document);
      if (this.steps.length > MOST_INTERVALS) this.steps.shift();
    }
  }

  /** A figure of each interval over seconds since the start; none where nothing was done. */
  drawn(figure: (interval: Interval) => number | null): Drawn {
    const x: number[] = [];
    const y: (number | null)[] = [];
    for (const interval of this.intervals) {
      const at = (interval.start_ms + interval.length_ms) / 1000;
      if (x.length && at <= x[x.length - 1]) continue;
      x.push(at);
      y.push(figure(interval));
    }
    return { x, y, gaps: [] };
  }
}

/** Rates of an interval use its own length. */
export const perSecond = (amount: number, interval: Interval): number =>
  interval.length_ms > 0 ? (amount * 1000) / interval.length_ms : 0;
