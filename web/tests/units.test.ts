import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, axisUnit, bytes, bytesPerS, count, durationNs, percentSigned, spanMs, value } from "../src/core/units.ts";

test("numbers read as the rest of the product writes them", () => {
  assert.equal(bytes(4096), "4.00 KiB");
  assert.equal(bytes(512), "512 B");
  assert.equal(bytes(0), "0 B");
  assert.equal(bytesPerS(123_731_968), "118 MiB/s");
  assert.equal(count(41_234), "41.2 k");
  assert.equal(count(999_900), "1.00 M");
  assert.equal(count(950), "950");
  assert.equal(count(2.5), "2.50");
  assert.equal(durationNs(84_000), "84.0 µs");
  assert.equal(durationNs(12_400_000), "12.4 ms");
  assert.equal(durationNs(750), "750 ns");
  assert.equal(percentSigned(0.1134), "+11 %");
  assert.equal(percentSigned(-0.0041), "−0.4 %");
  assert.equal(percentSigned(0.0001), "0.0 %");
  assert.deepEqual([8.994, 540.79].map(percentSigned), ["+899 %", "×542"]);
  assert.deepEqual([-0.9947, -0.9962, -0.99962, -0.99996, -1].map(percentSigned), ["−99 %", "−99.6 %", "−99.96 %", "−99.996 %", "−100 %"]);
});

test("ties go to the even digit, as Rust prints them", () => {
  assert.equal(count(100_500), "100 k");
  assert.equal(count(101_500), "102 k");
});

test("spans change their unit where the guide says", () => {
  assert.deepEqual([450, 1_500, 12_400, 119_000, 250_000, 240_000].map(spanMs),
    ["450 ms", "1.5 s", "12 s", "119 s", "4 min 10 s", "4 min"]);
});

test("an axis has one unit for all its ticks", () => {
  assert.deepEqual(axisUnit("count", 41_000), { divisor: 1000, suffix: " k" });
  assert.deepEqual(axisUnit("bytes/s", 5 << 20), { divisor: 1 << 20, suffix: " MiB/s" });
  assert.deepEqual(axisUnit("ms", 0.5), { divisor: 0.001, suffix: " µs" });
  assert.deepEqual(axisUnit("ms", 40), { divisor: 1, suffix: " ms" });
  assert.equal(value("ms", 0.0748), "74.8 µs");
});

test("ages are whole units", () => {
  const now = 1_800_000_000_000;
  assert.deepEqual([5_000, 300_000, 3 * 3_600_000, 72 * 3_600_000].map((ms) => ago(now - ms, now)),
    ["now", "5 min ago", "3 h ago", "3 days ago"]);
});
