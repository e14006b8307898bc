import assert from "node:assert/strict";
import { test } from "node:test";
import { direction, measured, ratioWords } from "../src/core/compare.ts";
import type { Ratio, Setting } from "../src/core/documents.ts";
import { blocks, inline } from "../src/core/markdown.ts";
import { chosen, choices, isSame, setBy } from "../src/core/path.ts";
import { fit, nearest, type Entry } from "../src/core/search.ts";

const setting = (value: string, more: Partial<Setting> = {}): Setting => ({ name: "scheduler", path: "/x", value: { value }, writable: true, ...more });

test("who set a setting is told as the rest of the product tells it", () => {
  const listed = setting("none [mq-deadline] kyber");
  assert.equal(chosen(listed), "mq-deadline");
  assert.deepEqual(choices(listed), ["none", "kyber"]);
  assert.equal(setBy(listed), null, "neither a default nor a wish is known");
  const kernel = { value: "none", because: "several queues" };
  assert.equal(setBy(setting("[none] bfq", { default: kernel }))?.word, "kernel");
  assert.equal(setBy(setting("none [bfq]", { default: kernel }))?.word, "by hand");
  const rule = { kind: "udev_rule", place: "60-x.rules:3", wants: "bfq", acts: "at boot" };
  const tuned = { kind: "tuned", place: "profile x", wants: "none", acts: "at boot" };
  const fight = setBy(setting("none [bfq]", { default: kernel, owners: [rule, tuned] }))!;
  assert.deepEqual([fight.word, fight.place, fight.isContested], ["udev", "60-x.rules:3", true]);
  const maybe = { ...rule, acts: "maybe when it appears" };
  assert.equal(setBy(setting("bfq", { default: { value: "bfq", because: "" }, owners: [maybe] }))?.word, "kernel");
  assert.equal(chosen({ ...setting(""), value: "absent" }), null);
  assert.ok(isSame("64", "64.0") && isSame("deadline", "mq-deadline") && !isSame("", "0"));
});

test("a catalogue page becomes blocks, and markup in it stays text", () => {
  const page = "# Title\n\n| id | kind |\n|---|---|\n| `a` | knob |\n\n## Part\nOne line\ngoes on with `code` <b>and</b>.\n\n- first\n  goes on\n- second\n\n```text\nx | y\n\n# no heading\n```\n";
  const found = blocks(page);
  assert.deepEqual(found.map((one) => one.is), ["heading", "table", "heading", "text", "list", "code"]);
  const text = found[3];
  assert.ok(text.is === "text" && text.parts.some((part) => part.is === "text" && part.text.includes("<b>and</b>")));
  assert.ok(found[5].is === "code" && found[5].text === "x | y\n\n# no heading");
  assert.ok(found[4].is === "list" && found[4].items.length === 2);
  assert.deepEqual(inline("**a** [b](c.md)"), [{ is: "strong", text: "a" }, { is: "text", text: " " }, { is: "link", text: "b", to: "c.md" }]);
});

test("text of any kind ends", () => {
  for (const odd of ["|", "```", "- ", "#", "####### x", "-x\n- y\n   \nz", "| a\n|", "\n\n\n", "**", "[a](", "`"]) {
    assert.ok(Array.isArray(blocks(odd)), odd);
  }
});

test("ratios are per cent while that can be read", () => {
  assert.deepEqual([1.12, 0.5, 3.1, 15.2, 0.02, 250].map(ratioWords), ["+12 %", "−50 %", "×3.1", "×15", "÷50", "×250"]);
  const ratio = (value: number, low: number | null, high: number | null, standing: Ratio["standing"]): Ratio => ({ ratio: value, low, high, standing });
  assert.equal(direction(ratio(1.5, 1.2, 1.8, "beyond"), "more"), "better");
  assert.equal(direction(ratio(1.5, 1.2, 1.8, "beyond"), "less"), "worse");
  assert.equal(direction(ratio(1.5, 0.9, 2.2, "beyond"), "more"), "", "the interval holds equal");
  assert.equal(direction(ratio(1.5, null, null, "hint"), "more"), "", "one figure each proves nothing");
  assert.equal(direction(ratio(1.5, 1.2, 1.8, "within"), "more"), "");
  assert.equal(measured("ns", 84_000), "84.0 µs");
  assert.equal(measured("/s", 41_234), "41.2 k/s");
});

test("the catalogue is found by name, title and text, in this order", () => {
  const entries: Entry[] = [
    { kind: "knob", id: "scheduler", title: "I/O scheduler", page: "# I/O scheduler" },
    { kind: "rule", id: "bfq_on_flash", title: "A fair scheduler on a fast disk", page: "" },
    { kind: "knob", id: "nr_requests", title: "Requests a queue may hold", page: "the scheduler's queue" },
  ];
  const order = [...entries].sort((a, b) => fit(b, "scheduler") - fit(a, "scheduler")).map((one) => one.id);
  assert.deepEqual(order, ["scheduler", "bfq_on_flash", "nr_requests"]);
  assert.equal(fit(entries[0], "scheduler zebra"), 0);
  assert.equal(nearest(entries, "shceduler")[0].id, "scheduler");
});
