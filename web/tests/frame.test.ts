import assert from "node:assert/strict";
import { test } from "node:test";
import { busiest, deviceRow, devices, field, isActive, parseFrame, parseHead } from "../src/core/frame.ts";
import type { Job } from "../src/core/documents.ts";
import { JobStory } from "../src/core/job.ts";

// A document of `iodyno watch --json`, cut down.
const SAMPLE = {
  schema: "iodyno.sample/1", unix_ms: 1795301106244, at_ms: 912.711723, seconds: 0.906327882, late: 0, lost: 0, cost_cpu_ms: 6.03,
  fields: {
    "disk.reads_per_s": { loop0: 0, vda: 8533.3, sda10: 1, sda2: 1 },
    "disk.writes_per_s": { loop0: 0, vda: 0, sda10: 0, sda2: 0 },
    "disk.await_read_ms": { vda: 0.0748 },
    "disk.queue_mean_ios": { loop0: 0, vda: 0.64 },
    "memory.dirty_bytes": { "": 30633984 },
  },
  layers: [{ arm: "", device: "vda", side: "read", span: "G2C", ios: 8653, mean_ns: 70391.9, spread_ns: 0, windows: 1, p50_ns: 52480, p99_ns: 618496 }],
};

test("a sample is read, and what it does not hold is absent and not zero", () => {
  const frame = parseFrame(SAMPLE)!;
  assert.equal(frame.at, 0.912711723);
  assert.equal(field(frame, "memory.dirty_bytes"), 30633984);
  assert.equal(field(frame, "disk.await_write_ms", "vda"), null);
  assert.equal(field(frame, "nothing.at_all"), null);
  assert.deepEqual(devices(frame), ["loop0", "sda2", "sda10", "vda"]);
  const row = deviceRow(frame, "vda");
  assert.equal(row[0], 8533.3);
  assert.ok(Number.isNaN(row[5]), "no await without writes");
  assert.ok(isActive(row) && !isActive(deviceRow(frame, "loop0")));
  assert.equal(busiest(frame), "vda");
  assert.equal(frame.layers[0].p99_ns, 618496);
});

test("other documents are not samples", () => {
  for (const wrong of [null, 7, "x", [], {}, { schema: "iodyno.sample/2" }, { schema: "iodyno.sample/1" }]) {
    assert.equal(parseFrame(wrong), null);
    assert.equal(parseHead(wrong), null);
  }
  const odd = parseFrame({ schema: "iodyno.sample/1", unix_ms: 1, seconds: "x", findings: 7, fields: null })!;
  assert.deepEqual([odd.seconds, odd.findings, busiest(odd)], [0, [], null]);
});

test("the head says what fields mean", () => {
  const head = parseHead({ schema: "iodyno.watch/1", host: "db-3\n", interval_ms: 100, every_ms: 250, fields: [{ id: "a.b", unit: "ms", meaning: "m" }], no_layers: "no rights" })!;
  assert.deepEqual([head.host, head.everyMs, head.fields.get("a.b")?.unit, head.noLayers], ["db-3", 250, "ms", "no rights"]);
});

const side = (ios: number) => ({ ios, bytes: ios * 4096, p50_ns: 100, p99_ns: 200 });
const interval = (start_ms: number, ios: number) => ({
  schema: "iodyno.interval/1", section: "x", interval: { start_ms, length_ms: 1000, read: side(ios), write: side(0), inflight: 1 },
});

test("a job's events add up to its story, and others' are not its own", () => {
  const job = { id: 3, state: "running", progress: [], last: interval(0, 5), record: null } as unknown as Job;
  const story = new JobStory(job);
  assert.equal(story.take({ id: 4, document: interval(1000, 1) }), false);
  assert.equal(story.take({ id: 3, document: interval(1000, 7) }), true);
  story.take({ id: 3, document: interval(1000, 7) });
  story.take({ id: 3, line: { unix_ms: 1, text: "hello" } });
  story.take({ id: 3, state: "done", record: 9, everything_back: true });
  assert.deepEqual(story.intervals.map((one) => one.read.ios), [5, 7]);
  assert.deepEqual(story.drawn((one) => one.read.ios), { x: [1, 2], y: [5, 7], gaps: [] });
  assert.deepEqual([story.job.state, story.job.record, story.job.progress[0].text], ["done", 9, "hello"]);
});
