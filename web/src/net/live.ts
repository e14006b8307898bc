// What the stream has told this tab: an hour of every device that does anything, the newest frame, the jobs.

import { busiest, devices, deviceRow, DEVICE_COLUMNS, field, isActive, parseFrame, parseHead, type Frame, type Head } from "../core/frame.ts";
import type { Unwatched } from "../core/documents.ts";
import { LatencyMap } from "../core/latency_map.ts";
import { History } from "../core/ring.ts";
import { openStream, type FromStream } from "./stream.ts";

/** A series of the machine as a whole, beside those of its devices. */
export const MACHINE_COLUMNS = [
  { id: "memory.dirty_bytes", words: "dirty" },
  { id: "memory.writeback_bytes", words: "writeback" },
  { id: "memory.dirty_background_threshold_bytes", words: "background" },
  { id: "memory.dirty_threshold_bytes", words: "limit" },
  { id: "vm.dirtied_bytes_per_s", words: "into the cache" },
  { id: "vm.written_bytes_per_s", words: "to the device" },
] as const;

export interface StreamState {
  isOpen: boolean;
  tries: number;
  sinceMs: number;
}

/** Maps are kept for so many devices and directions; the one looked at longest ago goes first. */
const MAPS = 8;

const isVirtual = (device: string): boolean => /^(loop|ram|zram|fd|sr)\d/.test(device);

class Live {
  head: Head | null = null;
  frame: Frame | null = null;
  state: StreamState = { isOpen: false, tries: 0, sinceMs: Date.now() };
  readonly histories = new Map<string, History>();
  readonly machine = new History(MACHINE_COLUMNS.length);
  readonly maps = new Map<string, LatencyMap>();
  /** Why there are no frames, where the server says so. */
  unwatched: string | null = null;
  private readonly watchers = new Set<() => void>();
  private readonly jobWatchers = new Set<(data: string) => void>();
  private readonly recordWatchers = new Set<(data: string) => void>();
  private shift = 0;
  private focused: string | null = null;
  private busyAt = -Infinity;
  private scheduled = 0;
  private drawnMs = 0;

  take(message: FromStream): void {
    if (message.kind === "state") {
      this.state = { isOpen: message.isOpen, tries: message.tries, sinceMs: message.sinceMs };
    } else if (message.name === "job") {
      for (const call of [...this.jobWatchers]) call(message.data);
    } else if (message.name === "record") {
      for (const call of [...this.recordWatchers]) call(message.data);
    } else if (message.name === "unwatched") {
      const said = JSON.parse(message.data) as Unwatched;
      this.unwatched = `${said.error} ${said.hint}`.trim();
    } else {
      this.unwatched = null;
      const document: unknown = JSON.parse(message.data);
      const head = parseHead(document);
      if (head) this.head = head;
      const frame = parseFrame(document);
      if (frame) this.add(frame);
    }
    this.changed();
  }

  private add(frame: Frame): void {
    // What was told before is told again after a connection that broke.
    if (this.frame && frame.unixMs <= this.frame.unixMs) return;
    // Sensors that were started anew count from their own start: their time goes on where the wall clock says.
    if (this.frame && frame.at + this.shift <= this.frame.at) {
      this.shift = this.frame.at + (frame.unixMs - this.frame.unixMs) / 1000 - frame.at;
    }
    frame.at += this.shift;
    this.frame = frame;
    for (const device of devices(frame)) {
      const row = deviceRow(frame, device);
      let history = this.histories.get(device);
      if (!history && isActive(row)) this.histories.set(device, (history = new History(DEVICE_COLUMNS.length)));
      history?.push(frame.at, frame.seconds, row);
    }
    this.machine.push(frame.at, frame.seconds, MACHINE_COLUMNS.map((column) => field(frame, column.id) ?? NaN));
    this.addLatencies(frame);
  }

  /** A direction without I/O in a frame that was traced has none; one that was not traced is not known. */
  private addLatencies(frame: Frame): void {
    const told = new Set<LatencyMap>();
    for (const one of frame.latencies) {
      const map = this.map(one.device, one.side, one.span);
      map.push(frame.at, frame.seconds, one.counts);
      told.add(map);
    }
    if (this.head?.noLayers !== null) return;
    for (const map of this.maps.values()) if (!told.has(map)) map.push(frame.at, frame.seconds, []);
  }

  private map(device: string, side: string, span: string): LatencyMap {
    const key = `${device} ${side} ${span}`;
    const known = this.maps.get(key);
    if (known) return known;
    if (this.maps.size >= MAPS) this.maps.delete(this.maps.keys().next().value!);
    const map = new LatencyMap();
    this.maps.set(key, map);
    return map;
  }

  /**
   * The device that a page shows where its address names none: the one that waits most, until it has been idle for a
   * while. One that changed with every sample could not be looked at.
   */
  focus(): string | null {
    const { frame } = this;
    if (!frame) return null;
    const isBusy = this.focused !== null && isActive(deviceRow(frame, this.focused));
    if (isBusy) this.busyAt = frame.at;
    if (this.focused === null || frame.at - this.busyAt > 10 || frame.at < this.busyAt) {
      const next = busiest(frame);
      if (next !== null) [this.focused, this.busyAt] = [next, frame.at];
    }
    // Where all are idle, a disk of its own says more than a loop device.
    return this.focused ?? [...devices(frame)].sort((a, b) => Number(isVirtual(a)) - Number(isVirtual(b)))[0] ?? null;
  }

  /** What the sensors have cost since they began, as a share of one CPU. */
  costPercent(): number {
    const { frame } = this;
    const seconds = frame ? frame.at - this.shift : 0;
    return frame && seconds > 0 ? frame.costCpuMs / seconds / 10 : 0;
  }

  /** Means of what a device did over the last seconds; what it never did in them stays NaN. */
  mean(device: string, seconds: number): number[] | null {
    return this.histories.get(device)?.means(this.frame!.at - seconds, [null, null, null, null, 0, 1]) ?? null;
  }

  /** Calls at most ten times a second, and never while the tab is hidden. */
  watch(call: () => void): () => void {
    this.watchers.add(call);
    return () => this.watchers.delete(call);
  }

  onJob(call: (data: string) => void): () => void {
    this.jobWatchers.add(call);
    return () => this.jobWatchers.delete(call);
  }

  onRecord(call: (data: string) => void): () => void {
    this.recordWatchers.add(call);
    return () => this.recordWatchers.delete(call);
  }

  /** Draws what came while nobody looked. */
  redraw(): void {
    this.changed();
  }

  private changed(): void {
    if (this.scheduled || document.hidden) return;
    const wait = Math.max(0, 100 - (performance.now() - this.drawnMs));
    this.scheduled = window.setTimeout(() => {
      requestAnimationFrame(() => {
        this.scheduled = 0;
        this.drawnMs = performance.now();
        for (const call of [...this.watchers]) call();
      });
    }, wait);
  }
}

export const live = new Live();

/** Joins the browser's one stream, or opens one of this tab's own where there are no shared workers. */
export function joinStream(): void {
  const take = (message: FromStream) => live.take(message);
  if (typeof SharedWorker === "function") {
    const worker = new SharedWorker("/stream.js", { type: "module", name: "iodyno" });
    worker.port.onmessage = ({ data }) => take(data as FromStream);
    const say = () => worker.port.postMessage(document.hidden ? "hidden" : "seen");
    document.addEventListener("visibilitychange", say);
    window.addEventListener("pagehide", () => worker.port.postMessage("hidden"));
    window.addEventListener("pageshow", say);
    setInterval(() => document.hidden || say(), 5_000);
    say();
    return;
  }
  let close: (() => void) | null = null;
  const look = () => {
    if (!document.hidden && !close) close = openStream(take);
    if (document.hidden && close) {
      close();
      close = null;
    }
  };
  document.addEventListener("visibilitychange", look);
  look();
}
