import assert from "node:assert/strict";
import { test } from "node:test";
import { History, Ring } from "../src/core/ring.ts";

test("a ring keeps the newest rows and refuses time that does not go on", () => {
  const ring = new Ring(3, 1);
  for (const time of [1, 2, 3, 4]) assert.equal(ring.push(time, [time * 10]), true);
  assert.equal(ring.push(4, [99]), false);
  assert.equal(ring.length, 3);
  assert.deepEqual([0, 1, 2].map((index) => ring.timeAt(index)), [2, 3, 4]);
  assert.deepEqual([0, 1, 2].map((index) => ring.valueAt(0, index)), [20, 30, 40]);
  assert.equal(ring.firstFrom(2.5), 1);
  assert.equal(ring.firstFrom(9), 3);
});

test("a gap breaks the line, and is told apart from a sample without a value", () => {
  const history = new History(1);
  for (const [time, value] of [[0, 1], [1, 2], [2, NaN], [3, 4], [9, 5], [10, 6]]) history.push(time, 1, [value]);
  history.push(14, 4, [7]);
  const { x, y, gaps } = history.drawn(0, 0, 20, 1000);
  assert.deepEqual(y, [1, 2, null, 4, null, 5, 6, 7], "a late sample is about all of its time");
  assert.deepEqual(gaps, [[3, 9]]);
  assert.ok(x.every((at, index) => index === 0 || at > x[index - 1]), "uPlot needs ascending x");
});

test("no spike is lost when many samples share a pixel", () => {
  const history = new History(1, 20_000);
  for (let index = 0; index < 10_000; index++) history.push(index / 10, 0.1, [index === 4321 ? 1000 : index === 7000 ? -5 : 10]);
  const { x, y } = history.drawn(0, 0, 1000, 100);
  assert.ok(x.length <= 400, `${x.length} points for 100 pixels`);
  assert.ok(y.includes(1000) && y.includes(-5));
});

test("the hour beyond the newest samples comes by the second, first, least, greatest and last", () => {
  const history = new History(1, 100, 3600);
  for (let index = 0; index < 1000; index++) history.push(index / 10, 0.1, [index === 205 ? 77 : 1]);
  const { x, y, gaps } = history.drawn(0, 0, 100, 2000);
  assert.ok(x[0] < 1 && x[x.length - 1] > 99, "from the beginning to the end");
  assert.ok(y.includes(77), "the spike of a second that left the fine ring");
  assert.deepEqual(gaps, [], "no gap where the two meet");
  assert.ok(x.every((at, index) => index === 0 || at > x[index - 1]));
});

test("times are averaged over I/Os, not over samples", () => {
  const history = new History(2);
  history.push(1, 1, [100, 2]);
  history.push(2, 1, [300, 4]);
  history.push(3, 1, [0, NaN]);
  assert.deepEqual(history.means(0, [null, 0]), [400 / 3, 3.5]);
  assert.ok(Number.isNaN(history.means(9)[0]));
});

test("memory does not grow", () => {
  const history = new History(2, 50, 60);
  for (let index = 0; index < 100_000; index++) history.push(index / 10, 0.1, [index, NaN]);
  const { x } = history.drawn(0, 0, 10_000, 100_000);
  assert.ok(x.length <= 50 + 60 * 4);
  assert.equal(history.latest(0), 99_999);
});
