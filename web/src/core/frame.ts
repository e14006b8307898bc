// A document of `iodyno watch --json` as the pages use it. What it does not hold is not there; it is never zero.

import type { ArmSpan, FieldWords, Finding, Latencies, WatchHead, WatchSample } from "./documents.ts";

export interface Frame {
  unixMs: number;
  /** Seconds since the sensors were started. */
  at: number;
  /** Length of the time that the device counters are about. */
  seconds: number;
  late: number;
  lost: number;
  costCpuMs: number;
  fields: Record<string, Record<string, number>>;
  findings: Finding[];
  layers: ArmSpan[];
  latencies: Latencies[];
}

/** The first document of a stream: what the values of the others are. */
export interface Head {
  host: string;
  intervalMs: number;
  everyMs: number;
  fields: Map<string, FieldWords>;
  absent: Record<string, string>;
  noLayers: string | null;
}

const number = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : otherwise;
const list = <T>(value: T[] | undefined): T[] => (Array.isArray(value) ? value : []);

/** Reads `iodyno.sample/1`; none where the document is something else. */
export function parseFrame(document: unknown): Frame | null {
  const raw = document as Partial<WatchSample> | null;
  if (!raw || raw.schema !== "iodyno.sample/1" || typeof raw.unix_ms !== "number") return null;
  return {
    unixMs: raw.unix_ms,
    at: number(raw.at_ms, raw.unix_ms) / 1000,
    seconds: number(raw.seconds, 0),
    late: number(raw.late, 0),
    lost: number(raw.lost, 0),
    costCpuMs: number(raw.cost_cpu_ms, 0),
    fields: raw.fields ?? {},
    findings: list(raw.findings),
    layers: list(raw.layers),
    latencies: list(raw.latencies),
  };
}

/** Reads `iodyno.watch/1`; none where the document is something else. */
export function parseHead(document: unknown): Head | null {
  const raw = document as Partial<WatchHead> | null;
  if (!raw || raw.schema !== "iodyno.watch/1") return null;
  return {
    host: String(raw.host ?? "").trim(),
    intervalMs: number(raw.interval_ms, 100),
    everyMs: number(raw.every_ms, 1000),
    fields: new Map(list(raw.fields).map((field) => [field.id, field])),
    absent: raw.absent ?? {},
    noLayers: raw.no_layers ?? null,
  };
}

/** A field of a subject; none where the kernel gave none. */
export function field(frame: Frame, id: string, subject = ""): number | null {
  const value = frame.fields[id]?.[subject];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** The columns of the device table and of its history, with the field that each one is. */
export const DEVICE_COLUMNS = [
  { key: "r/s", id: "disk.reads_per_s", kind: "count", words: "reads completed per second" },
  { key: "w/s", id: "disk.writes_per_s", kind: "count", words: "writes completed per second" },
  { key: "read", id: "disk.read_bytes_per_s", kind: "bytes/s", words: "data read" },
  { key: "written", id: "disk.write_bytes_per_s", kind: "bytes/s", words: "data written" },
  { key: "r-await", id: "disk.await_read_ms", kind: "ms", words: "mean time of a read" },
  { key: "w-await", id: "disk.await_write_ms", kind: "ms", words: "mean time of a write" },
  { key: "in flight", id: "disk.queue_mean_ios", kind: "plain", words: "mean number of I/Os in flight" },
  { key: "flush/s", id: "disk.flushes_per_s", kind: "count", words: "cache flushes per second" },
] as const;

/** What a device did in a frame, in the order of [`DEVICE_COLUMNS`]; NaN where there is no such figure. */
export const deviceRow = (frame: Frame, device: string): number[] =>
  DEVICE_COLUMNS.map((column) => field(frame, column.id, device) ?? NaN);

/** The block devices of a frame. */
export function devices(frame: Frame): string[] {
  const names = new Set<string>();
  for (const id of ["disk.reads_per_s", "disk.writes_per_s"]) {
    for (const name of Object.keys(frame.fields[id] ?? {})) names.add(name);
  }
  return [...names].sort(byName);
}

/** `sda2` before `sda10`. */
export const byName = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });

/** Whether a device did anything. */
export function isActive(row: readonly number[]): boolean {
  return row.slice(0, 4).some((value) => value > 0) || row[7] > 0;
}

/** The device that waits most: by I/Os in flight, then by operations. */
export function busiest(frame: Frame): string | null {
  let best: string | null = null;
  let most = [0, 0];
  for (const name of devices(frame)) {
    const row = deviceRow(frame, name).map((value) => (Number.isNaN(value) ? 0 : value));
    const rank = [row[6], row[0] + row[1]];
    if (rank[0] > most[0] || (rank[0] === most[0] && rank[1] > most[1])) [best, most] = [name, rank];
  }
  return best;
}
