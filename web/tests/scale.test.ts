import assert from "node:assert/strict";
import { test } from "node:test";
import { decades, latencyTicks, linearTicks, LiveTop, logRange, niceTop, rampEdge, rampStep, ratioReach } from "../src/core/scale.ts";

test("tops and ticks are round, in the unit of the axis", () => {
  assert.deepEqual([0, 3, 41_200, 0.07].map((value) => niceTop(value)), [1, 3, 50_000, 0.08]);
  assert.equal(niceTop(300 * 2 ** 20, 2 ** 20), 300 * 2 ** 20);
  assert.equal(niceTop(381 * 2 ** 20, 2 ** 20), 400 * 2 ** 20);
  assert.deepEqual(linearTicks(50_000), [0, 20_000, 40_000]);
  assert.deepEqual(linearTicks(3, 3), [0, 1, 2, 3]);
});

test("a log axis has a decade at least, and no place for zero", () => {
  assert.deepEqual(logRange([0, 5]), [1, 10]);
  assert.deepEqual(logRange([100]), [100, 1000]);
  assert.deepEqual(logRange([0, -1]), [1, 10]);
  assert.deepEqual(logRange([20_000, 8_000_000]), [10_000, 10_000_000]);
  assert.deepEqual(decades(10_000, 10_000_000), [1e4, 1e5, 1e6, 1e7]);
  assert.deepEqual(latencyTicks(90_000, 600_000), [100_000, 200_000, 500_000]);
});

test("one slow I/O among a million fast ones is seen, and nothing is not", () => {
  assert.equal(rampStep(0, 1e6), 0);
  assert.equal(rampStep(1, 1e6), 1);
  assert.equal(rampStep(1e6, 1e6), 8);
  for (let step = 2; step <= 8; step++) {
    assert.equal(rampStep(rampEdge(step, 1000) * 1.0001, 1000), step);
  }
});

test("a live axis grows at once and shrinks after a minute", () => {
  const top = new LiveTop();
  assert.equal(top.at(0, 100), 100);
  assert.equal(top.at(1, 900), 1000);
  assert.equal(top.at(2, 10), 1000);
  assert.equal(top.at(61, 10), 1000);
  assert.equal(top.at(63, 10), 10);
});

test("the axis of pairs is symmetric and at least ten per cent", () => {
  assert.equal(ratioReach([]), Math.log(1.1));
  assert.ok(ratioReach([...Array(99).fill(0.3), 5]) < 0.4, "one outlier does not stretch it");
});
