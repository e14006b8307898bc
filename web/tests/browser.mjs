// What a person does in a browser: logs in, starts a load, watches it, opens its record, imports a file, compares, reads
// the report; and what must be refused. Started by crates/iodyno/tests/browser.rs, which starts the server.
//
//     node tests/browser.mjs '{"url": …, "target": …, "tunes": true, "import": …, "chromium": …, "shots": …}'
//
// Prints what it measured as a line of JSON; ends with 1 and what failed otherwise.
import { chromium } from "playwright-core";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";

const given = JSON.parse(process.argv[2]);
const base = new URL(given.url);
/** CI has two busy cores and a disk that stalls for seconds: nothing waits for less than this. */
const PATIENCE_MS = 120_000;
/** The time that a tune gets: a slow disk spends much of it before the first experiment. */
const BUDGET_S = 300;
const FOREIGN = "rebound.example";

const browser = await chromium.launch({
  // The first start reads some hundred MB of a disk that may be slow.
  timeout: 300_000,
  executablePath: given.chromium ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", `--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1`],
});

/** A context whose pages and requests wait as long as everything here. */
async function contextOf(options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Holds once the page has caught up: asked again until it does, and fails with what the last answer was. */
async function eventually(holds) {
  for (const until = Date.now() + PATIENCE_MS; ; await new Promise((done) => setTimeout(done, 100))) {
    try {
      return await holds();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

/** Where it is once nothing above it moves it any more. */
async function restingBox(locator) {
  await locator.scrollIntoViewIfNeeded();
  for (let before = null; ; ) {
    const box = await locator.boundingBox();
    if (before && JSON.stringify(box) === JSON.stringify(before)) return box;
    before = box;
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** What a picture over time says once somebody reads it: by keyboard, by drag, and after it is taken back. */
async function readsAndZooms(root, page, figure) {
  const svg = figure.locator("svg.timed:visible").first();
  const [reading, summary] = [figure.locator(".reading"), figure.locator(".summary")];
  await svg.focus();
  for (let step = 0; step < 12; step += 1) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await eventually(async () => assert.match(await reading.innerText(), / s: (read|write|all I\/Os) .*(IOPS|no data)/));
  await page.keyboard.press("+");
  await summary.waitFor();
  await eventually(async () => assert.match(await summary.innerText(), /to \d[\d.]* s: .*on average, least .*, greatest .*, \d+ intervals/));
  await eventually(() => assert.match(page.url(), /[?#&]t=[\d.]+-[\d.]+/, "the span stands in the address"));
  await page.keyboard.press("0");
  await summary.waitFor({ state: "hidden" });
  await eventually(() => assert.doesNotMatch(page.url(), /[?#&]t=/));
  // Somebody quick presses the next key before the page has heard of the first one's address.
  await svg.evaluate(async (node) => {
    const press = (key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    press("+");
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    press("0");
    await new Promise((done) => setTimeout(done, 300));
  });
  await eventually(async () => {
    assert.ok(await summary.isHidden(), "the last key counts");
    assert.doesNotMatch(page.url(), /[?#&]t=/);
  });
  const shown = await figure.locator("g.x-ticks:visible").count();
  const box = await restingBox(svg);
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 4 });
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await summary.waitFor();
  // Every picture over time shows the same span; that of latencies adds up its counts.
  const map = root.locator("figure[id*=latency-map-read] .summary");
  await eventually(async () => {
    if (await map.count()) assert.match(await map.innerText(), /I\/Os, .*slowest ≤|nothing completed/);
    assert.ok(shown === 0 || (await figure.locator("g.x-ticks:visible").count()) < shown, "the ticks are those of the span");
  });
  return summary;
}

/** A page that complains of what no page may do: errors, refused styles, requests to anybody else. */
async function open(context, problems) {
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`error in the page: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && problems.push(`${page.url()}: ${message.text()}`));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== base.origin && protocol !== "data:" && protocol !== "blob:") problems.push(`a request left the page: ${request.url()}`);
  });
  return page;
}

const at = (path) => new URL(path, base.origin).href;
const heading = (page) => page.locator("main h1").first();
const measured = {};
const steps = [];
const step = async (name, run) => {
  steps.push({ name, at_ms: Math.round(performance.now()) });
  await run();
};

async function shots(context, paths) {
  if (!given.shots) return;
  for (const [look, width, colorScheme] of [["light", 1280, "light"], ["dark", 1280, "dark"], ["phone", 320, "light"], ["phone-dark", 320, "dark"]]) {
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    for (const [name, path, waitMs] of paths) {
      await page.goto(at(path));
      await heading(page).waitFor();
      await page.waitForTimeout(waitMs ?? 1500);
      await page.screenshot({ path: join(given.shots, `${look}-${name}.png`), fullPage: true });
    }
    await page.close();
  }
}

async function main() {
  const problems = [];
  const context = await contextOf({ viewport: { width: 1280, height: 900 } });
  let page = await open(context, problems);

  await step("log in by the token, which leaves the address", async () => {
    await page.goto(given.url);
    await page.getByText("Settings by layer").waitFor();
    assert.equal(new URL(page.url()).search + new URL(page.url()).hash, "");
    assert.ok(!page.url().includes("token"));
    measured.first_paint_ms = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null);
    measured.bytes = await page.evaluate(() => performance.getEntriesByType("resource").filter((one) => /\.(js|css|svg)$/.test(new URL(one.name).pathname)).reduce((sum, one) => sum + one.transferSize, 0));
    const cookies = await context.cookies();
    assert.ok(cookies.length > 0 && cookies.every((one) => one.httpOnly && one.sameSite === "Strict"), "a cookie that no script can read");
  });

  await step("the machine is shown with its settings, and a reload keeps the view", async () => {
    await page.getByText("Settings by layer").waitFor();
    await page.reload();
    await page.getByText("Settings by layer").waitFor();
  });

  let target = null;
  let record = 0;
  await step("start a run, watch it, open its record", async () => {
    const { targets } = await page.evaluate(() => fetch("/api/v1/targets").then((answer) => answer.json()));
    target = targets.find((one) => one.path === given.target);
    assert.ok(target, `${given.target} is a target`);
    await page.goto(at(`/start?target=${target.key}&runtime_s=3&size=32m&iodepth=4`));
    await page.locator("[data-start]").click();
    await page.waitForURL(/\/runs\/\d+$/);
    await page.locator("[data-state=running], [data-state=done]").first().waitFor();
    await page.locator("[data-state=done]").waitFor();
    await page.locator(".chart canvas").first().waitFor();
    await page.getByText("nothing left to undo").first().waitFor();
    await page.getByRole("link", { name: /^Open record/ }).click();
    await page.waitForURL(/\/records\/\d+$/);
    record = Number(page.url().split("/").pop());
    await page.getByText("What the load did").waitFor();
    await eventually(async () => assert.match(await heading(page).innerText(), /4K random read/));
    await page.locator("#figures figure").first().waitFor();
    await page.locator("#figures figure svg:visible").first().waitFor();
    measured.figures = await page.locator("#figures figure svg").count();
  });

  await step("read a picture by keyboard, zoom into a span, and find it again", async () => {
    const main = page.locator("main");
    const summary = await readsAndZooms(main, page, main.locator("figure#rates"));
    const told = await summary.innerText();
    await page.reload();
    await summary.waitFor();
    await eventually(async () => assert.equal(await summary.innerText(), told, "a reload shows the same span"));
    await summary.getByRole("button", { name: "Whole time" }).click();
    await summary.waitFor({ state: "hidden" });
  });

  await step("name knobs with values, a group, and what only a terminal starts", async () => {
    await page.goto(at(`/start?verb=tune&target=${target.key}`));
    const line = (text) => page.getByText(text).first().waitFor();
    await page.getByLabel("nr_requests", { exact: true }).check();
    await page.getByLabel("Values of nr_requests").fill("64,256");
    await page.getByLabel("rbps", { exact: true }).check();
    await page.getByLabel("Values of rbps").fill("@/system.slice/dev-\\x2dsda.slice=50m,max");
    await line("--knob nr_requests=64,256 --knob 'rbps@/system.slice/");
    await page.getByLabel("Judged by").selectOption("group_iops");
    await page.getByLabel("Control group").fill("../etc");
    assert.equal(await page.getByLabel("Control group").evaluate((field) => field.checkValidity()), false, "no path outside");
    await page.getByLabel("Control group").fill("system.slice/postgresql@15-main.service");
    assert.equal(await page.locator("form").evaluate((form) => form.checkValidity()), true, "the fields take what the server does");
    await line("--cgroup system.slice/postgresql@15-main.service");
    await page.getByLabel("Judged by").selectOption("duration");
    await line("--command 'COMMAND' --run-again --metric duration");
    assert.ok(await page.locator("[data-start]").isDisabled(), "a command is not started from a browser");
  });

  if (given.tunes) {
    await step("start a tune, watch it decide, and stop it", async () => {
      await page.goto(at(`/start?verb=tune&target=${target.key}&budget_s=${BUDGET_S}&size=32m&iodepth=4`));
      await page.getByLabel("Put back and end if").fill("await>600s");
      await page.getByText("--stop-if 'await>600s'").waitFor();
      await page.locator("[data-start]").click();
      await page.waitForURL(/\/runs\/\d+$/);
      await page.locator(".log", { hasText: "ends where await>600s" }).waitFor();
      await page.locator("[data-experiment]").waitFor({ timeout: BUDGET_S * 1000 });
      await page.locator("[data-stop]").click();
      await page.locator("[data-state=stopped], [data-state=done]").waitFor();
      await page.getByText("nothing left to undo").first().waitFor();
    });
  }

  await step("tag the record and find it by its tag", async () => {
    await page.goto(at(`/records/${record}`));
    await page.getByLabel("New tag").fill("browser-test");
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByRole("link", { name: "browser-test" }).waitFor();
    await page.goto(at("/records"));
    await page.locator("[data-search]").fill("tag:browser-test");
    await page.locator("[data-search]").press("Enter");
    await page.waitForURL(/tag=browser-test/);
    await page.getByRole("heading", { name: "1 record match" }).waitFor();
  });

  let imported = 0;
  await step("import a file of fio through the page", async () => {
    await page.goto(at("/records"));
    await page.locator("[data-import]").setInputFiles(given.import);
    const link = page.locator(".note.ok a").first();
    await link.waitFor();
    imported = Number(await link.innerText());
    assert.ok(imported > record);
    await page.locator(`[data-row="${imported}"]`).waitFor();
  });

  await step("select both by the keyboard and compare them", async () => {
    for (const id of [record, imported]) {
      await page.locator(`[data-row="${id}"]`).focus();
      await page.keyboard.press("x");
      await page.locator(`[data-row="${id}"] input:checked`).waitFor();
    }
    await page.keyboard.press("c");
    await page.waitForURL(/\/compare\?/);
    await heading(page).waitFor();
    await page.getByRole("region", { name: "What is compared" }).waitFor();
    const subjects = page.getByRole("region", { name: "What is compared" }).locator("tbody tr");
    await eventually(async () => assert.equal(await subjects.count(), 2));
  });

  await step("choose what is compared by ticking, by key and by dragging", async () => {
    const rows = page.getByRole("region", { name: "What is compared" }).locator("tbody tr");
    const chosen = async (n) => { await rows.nth(n - 1).waitFor(); await eventually(async () => assert.equal(await rows.count(), n)); };
    await page.getByRole("button", { name: `Take record ${imported} out` }).click();
    await page.getByText(`Record ${record} alone`).waitFor();
    await page.locator(`[data-chooser] [data-row="${imported}"]`).focus();
    await page.keyboard.press("x");
    await chosen(2);
    await page.reload();
    await chosen(2);
    await page.goto(at("/compare"));
    for (const id of [imported, record]) await page.getByRole("checkbox", { name: `Select record ${id}` }).check();
    await chosen(2);
    await page.waitForURL(new RegExp(`r=${imported}(,|%2C)${record}`));
    await page.goto(at(`/compare?r=${record}`));
    await page.locator(`[data-chooser] [data-row="${imported}"] a`).first().dragTo(page.locator("[data-drop]"));
    await chosen(2);
    await page.goto(at("/records"));
    await page.locator(`[data-row="${imported}"] a`).first().dragTo(page.locator(`[data-row="${record}"] td.words`));
    await page.waitForURL(new RegExp(`/compare\\?r=${record}(,|%2C)${imported}&base=${record}`));
    await chosen(2);
  });

  await step("open the report, which is one file", async () => {
    await page.goto(at(`/records/${record}`));
    const [report] = await Promise.all([context.waitForEvent("page"), page.getByRole("link", { name: "Report as one file" }).click()]);
    await report.waitForLoadState();
    await eventually(async () => assert.match(await report.locator("h1").first().innerText(), /4K random read/));
    await report.locator("svg:visible").first().waitFor();
    await readsAndZooms(report.locator("main"), report, report.locator("#f-rates"));
    measured.report_bytes = (await (await context.request.get(report.url())).body()).length;
    await report.close();
  });

  await step("the live page draws, and one stream serves all tabs", async () => {
    await page.goto(at("/live"));
    await page.getByRole("region", { name: "Devices" }).waitFor();
    await page.getByText("the sensors cost").waitFor();
    const other = await open(context, problems);
    await other.goto(at("/live"));
    await other.getByRole("region", { name: "Devices" }).waitFor();
    await other.close();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL(/\/catalogue/);
  });

  await step("the catalogue finds a page, by a deep link too", async () => {
    await page.goto(at("/catalogue/field/disk.await_read_ms"));
    await page.locator("article h1").waitFor();
    await page.locator("[data-search]").fill("scheduler");
    await page.getByRole("link", { name: /I\/O scheduler/ }).click();
    await page.waitForURL(/\/catalogue\/knob\/scheduler/);
  });

  await step("the history and the changes are shown", async () => {
    await page.goto(at("/history"));
    await heading(page).waitFor();
    await page.goto(at("/changes"));
    await page.getByRole("heading", { name: /No change of iodyno|in place|before it had put/ }).waitFor();
  });

  await step("no page is wider than a phone", async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    for (const path of ["/machine", "/live", "/start", "/records", `/records/${record}`, `/compare?r=${record},${imported}`, "/history", "/changes", "/catalogue/knob/scheduler"]) {
      await page.goto(at(path));
      await heading(page).waitFor();
      await page.waitForFunction(() => !document.querySelector(".waiting"));
      await eventually(async () => {
        const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert.ok(wide <= seen, `${path} is ${wide} px wide on a screen of ${seen}`);
      });
    }
  });

  await shots(context, [["machine", "/machine"], ["live", "/live?span=30s", 25_000], ["start", "/start"], ["start-tune", "/start?verb=tune&ioengine=none&metric=group_iops&cgroup=system.slice/postgresql.service&stop_if=await>20ms"], ["records", "/records"], ["record", `/records/${record}`, 3000],
    ["imported", `/records/${imported}`, 2500], ["compare", `/compare?r=${record},${imported}&base=${record}`, 2500], ["rank", `/compare?r=${record},${imported}&view=rank`, 2500], ["run", "/runs/1"], ["history", "/history", 3000], ["catalogue", "/catalogue/knob/scheduler"], ["changes", "/changes"]]);
  assert.deepEqual(problems, [], "nothing was refused, failed or fetched elsewhere");
  await page.close();
  await context.close();
}

async function refusals() {
  await step("without the token there is no way in", async () => {
    const context = await contextOf();
    const page = await context.newPage();
    await page.goto(at("/records"));
    await page.getByRole("heading", { name: "This browser is not logged in." }).waitFor();
    assert.equal((await context.request.get(at("/api/v1/records"))).status(), 401);
    await page.goto(given.url);
    await page.getByRole("heading", { name: "This browser is not logged in." }).waitFor();
    await context.close();
  });

  await step("a page of another origin changes and reads nothing", async () => {
    const elsewhere = createServer((_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<h1>elsewhere</h1>"));
    await new Promise((done) => elsewhere.listen(0, "127.0.0.1", done));
    const context = await contextOf();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${elsewhere.address().port}/`);
    const said = await page.evaluate(async (url) => {
      const tried = [];
      for (const [mode, method] of [["cors", "GET"], ["cors", "POST"], ["no-cors", "POST"]]) {
        const answer = await fetch(url, { mode, method, credentials: "include", body: method === "POST" ? "{}" : undefined }).then((one) => `${one.type} ${one.status}`, () => "refused");
        tried.push(answer);
      }
      return tried;
    }, at("/api/v1/jobs"));
    assert.deepEqual(said, ["refused", "refused", "refused"], "not even an opaque answer may be embedded");
    const foreign = await context.request.post(at("/api/v1/login"), { data: { token: "x" }, headers: { Origin: "http://elsewhere.example" } });
    assert.equal(foreign.status(), 403, "a foreign Origin");
    await context.close();
    elsewhere.close();
  });

  await step("another name for the same address is refused", async () => {
    const context = await contextOf();
    const page = await context.newPage();
    const answer = await page.goto(`http://${FOREIGN}:${base.port}/`);
    measured.wrong_host_status = answer.status();
    assert.ok(answer.status() >= 400 && answer.status() < 500, `${answer.status()}`);
    assert.equal(await page.locator("#app").count(), 0, "not even the empty page");
    await context.close();
  });
}

let failed = null;
try {
  await main();
  await refusals();
} catch (error) {
  failed = error;
}
await browser.close();
if (failed) {
  const told = steps.map(({ name, at_ms }) => `${(at_ms / 1000).toFixed(1)} s: ${name}`);
  console.error(`${told.join("\n")}\nfailed ${(performance.now() / 1000).toFixed(1)} s after the start, in the last of these: ${failed.stack ?? failed}`);
  process.exit(1);
}
console.log(JSON.stringify({ steps: steps.length, ...measured }));
