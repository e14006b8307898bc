import assert from "node:assert/strict";
import { test } from "node:test";
import { BUCKETS, bucketOf, edgeOf, isSupported, quantileNs, ROWS, rowEdge, rowOf, valueOf } from "../src/core/histogram.ts";
import { LatencyMap } from "../src/core/latency_map.ts";

test("the layout is fio's", () => {
  for (const [ns, bucket] of [[0, 0], [127, 127], [128, 128], [129, 128], [130, 129], [255, 191], [256, 192], [1_000_000, 954]]) {
    assert.equal(bucketOf(ns), bucket, `${ns} ns`);
  }
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    assert.equal(bucketOf(valueOf(bucket)), bucket);
    assert.equal(bucketOf(edgeOf(bucket)), bucket);
  }
  assert.equal(edgeOf(BUCKETS), 2 ** 34);
});

test("rows of the map are unions of whole buckets at their true edges", () => {
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const row = rowOf(bucket);
    assert.ok(row >= 0 && row < ROWS);
    assert.ok(edgeOf(bucket) >= rowEdge(row) && edgeOf(bucket + 1) <= rowEdge(row + 1), `bucket ${bucket}`);
  }
  assert.equal(rowEdge(ROWS), 2 ** 34);
});

test("percentiles come from counts, and only where ten are slower", () => {
  assert.equal(quantileNs([[100, 99], [900, 1]], 0.99), valueOf(100));
  assert.equal(quantileNs([[100, 98], [900, 2]], 0.99), valueOf(900));
  assert.equal(quantileNs([], 0.5), null);
  assert.equal(isSupported(999, 0.99), false);
  assert.equal(isSupported(1000, 0.99), true);
});

test("a map adds short spans up to a second and keeps its size", () => {
  const map = new LatencyMap(4);
  for (let index = 1; index <= 100; index++) map.push(index / 10, 0.1, [[500, 3], [900, 1]]);
  assert.equal(map.length, 4);
  const column = map.column(3);
  assert.ok(column.seconds > 0.9 && column.seconds < 1.1, `${column.seconds}`);
  assert.equal(column.n, 40);
  assert.equal(map.count(3, rowOf(500)), 30);
  assert.equal(column.p50, valueOf(500));
  assert.equal(column.p99, null, "forty I/Os have no p99");
  assert.deepEqual(map.rows(), [rowOf(500), rowOf(900)]);
});

test("a pause begins a new column", () => {
  const map = new LatencyMap();
  map.push(1, 0.1, [[500, 1]]);
  map.push(9, 0.1, [[500, 1]]);
  assert.equal(map.length, 2);
  assert.equal(map.column(1).seconds, 0.1);
});
