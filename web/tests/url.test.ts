import assert from "node:assert/strict";
import { test } from "node:test";
import { address, filterLine, filterOf, idList, momentMs, parseFilter, parsePlace, spanSeconds, withQuery } from "../src/core/url.ts";
import { tokenOf } from "../src/net/api.ts";

test("an address gives the same place back", () => {
  const place = parsePlace(...split(address("catalogue", ["field", "disk.await_read_ms"], { q: "await" })));
  assert.equal(place.page, "catalogue");
  assert.deepEqual(place.rest, ["field", "disk.await_read_ms"]);
  assert.equal(place.query.get("q"), "await");
  const odd = parsePlace(...split(address("machine", ["a/b %?#ü"])));
  assert.deepEqual(odd.rest, ["a/b %?#ü"]);
});

const split = (url: string): [string, string] => {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
};

test("what is no page is told, and a broken escape breaks nothing", () => {
  assert.equal(parsePlace("/", "").page, "machine");
  assert.equal(parsePlace("/nothing", "").page, "unknown");
  assert.equal(parsePlace("/__proto__", "").page, "unknown");
  assert.deepEqual(parsePlace("/records/%E0%A4%A", "").rest, ["%E0%A4%A"]);
});

test("a filter is read, written and read again", () => {
  const line = 'device:nvme0n1 tag:"before the change" slow disk';
  const filter = parseFilter(line);
  assert.deepEqual(filter, { device: "nvme0n1", tag: "before the change", text: "slow disk" });
  assert.deepEqual(parseFilter(filterLine(filter)), filter);
  assert.deepEqual(parseFilter("error:5 x"), { text: "error:5 x" });
  assert.deepEqual(filterOf(new URLSearchParams("device=sda&text=&other=1")), { device: "sda" });
});

test("queries lose what is empty and keep the rest", () => {
  assert.equal(withQuery(new URLSearchParams("a=1&b=2"), { b: null, c: "7,9" }), "a=1&c=7,9");
  assert.deepEqual(idList("7,9,7,x,-1,1.5,0"), [7, 9]);
  assert.deepEqual(["30s", "5m", "1h", "x", null].map((text) => spanSeconds(text, 60)), [30, 300, 3600, 60, 60]);
});

test("moments are days of the reader's zone, times, or so long ago", () => {
  const now = Date.parse("2026-11-21T22:45:00Z");
  assert.equal(momentMs("7d", now), now - 7 * 86_400_000);
  assert.equal(momentMs("12h", now), now - 12 * 3_600_000);
  assert.equal(momentMs("2026-11-21", now), new Date(2026, 10, 21).getTime());
  assert.equal(momentMs("2026-11-21T10:00:00Z", now), Date.parse("2026-11-21T10:00:00Z"));
  assert.deepEqual(["", "yesterday", "2026-99-99", "7"].map((text) => momentMs(text, now)), [null, null, null, null]);
});

test("the token is found behind ? and #, and nowhere else", () => {
  assert.equal(tokenOf({ search: "?token=abc", hash: "" }), "abc");
  assert.equal(tokenOf({ search: "?x=1", hash: "#token=abc" }), "abc");
  assert.equal(tokenOf({ search: "?x=token", hash: "#a" }), null);
});
