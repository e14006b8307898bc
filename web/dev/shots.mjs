// Takes a picture of each page of a running server, light and dark, wide and at 320 px, to be looked at.
//
//     node dev/shots.mjs 'http://127.0.0.1:7979/#token=…' OUT [PATH…]
import { chromium } from "playwright-core";
import { mkdir } from "node:fs/promises";

const [base, out, ...paths] = process.argv.slice(2);
const pages = paths.length ? paths : ["/machine", "/live", "/start", "/records", "/catalogue/knob/scheduler", "/changes", "/history"];
await mkdir(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
// One context: the token of the address is good for one log-in.
const page = await (await browser.newContext()).newPage();
page.on("console", (message) => ["error", "warning"].includes(message.type()) && console.log(page.url(), message.text()));
page.on("pageerror", (error) => console.log(page.url(), "PAGE ERROR", error.message));
await page.goto(base);
await page.waitForSelector("main h1");
for (const [look, width, colorScheme] of [["light", 1280, "light"], ["dark", 1280, "dark"], ["phone", 320, "light"]]) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  for (const path of pages) {
    await page.goto(new URL(path, base).href);
    await page.waitForSelector("main h1");
    await page.waitForTimeout(path.startsWith("/live") ? 15_000 : 2_500);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    if (wider) console.log(look, path, "is wider than the window");
    await page.screenshot({ path: `${out}/${look}${path.replace(/[/?&=,]/g, "-")}.png`, fullPage: true });
  }
}
await browser.close();
