import assert from "node:assert/strict";
import { test } from "node:test";
import { experimentOf } from "../src/core/experiment.ts";

const step = (stage: string | null, pairs: number, effect: number | null, low: number | null, high: number | null, knob = "scheduler") => ({
  schema: "iodyno.step/1", knob, device: "vda", values: ["mq-deadline", "none"], stage, pairs, spent_ms: 1000 * pairs, left_ms: 20_000, rate: 41_234,
  stage_words: stage === "calibrate" ? "learning the noise" : stage === "holdout" ? "hold-out" : stage, rate_words: "41.2 k IOPS", left_words: "20 s",
  arms: stage === "pairs" ? [{ arm: "none", effect, low, high, dropped: false, words: `none in words of ${pairs} pairs` }] : [],
});

test("before anything is compared, the stage is told", () => {
  assert.equal(experimentOf([]), null);
  assert.equal(experimentOf([{ schema: "iodyno.interval/1", knob: "x", left_ms: 1 }, { schema: "iodyno.tune/1", id: 7 }]), null);
  const view = experimentOf([step("calibrate", 0, null, null, null)])!;
  assert.equal(view.sentence, "scheduler: learning the noise at 41.2 k IOPS, some 20 s left");
  assert.deepEqual([view.first, view.running.length], ["mq-deadline", 0]);
});

test("the interval closes pair by pair and stays when the hold-out begins", () => {
  const steps = [step("pairs", 5, 0.3, -0.2, null), step("pairs", 6, 0.25, 0.05, 0.5), step("pairs", 6, 0.25, 0.06, 0.5)];
  const view = experimentOf(steps)!;
  assert.equal(view.sentence, "scheduler: none in words of 6 pairs, some 20 s left");
  assert.deepEqual(view.running.map((one) => one.n), [5, 6]);
  assert.equal(view.running[1].low, Math.log(1.06));
  const later = experimentOf([...steps, step("holdout", 3, null, null, null)])!;
  assert.deepEqual([later.stage, later.arms[0].arm, later.running.length], ["hold-out", "none", 2]);
});

test("the next knob begins anew", () => {
  const view = experimentOf([step("pairs", 6, 0.25, 0.05, 0.5), step("pairs", 5, 0.01, -0.1, 0.1, "nomerges")])!;
  assert.deepEqual([view.knob, view.running.length], ["nomerges", 1]);
});
