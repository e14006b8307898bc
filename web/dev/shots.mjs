// Takes a picture of each page of a running server, light and dark, wide and at 320 px, to be looked at.
//
//     node dev/shots.mjs http://127.0.0.1:8099/ OUT [PATH…]
import { chromium } from "playwright-core";
import { mkdir } from "node:fs/promises";

const [base, out, ...paths] = process.argv.slice(2);
const pages = paths.length ? paths : ["/machine", "/live", "/start", "/records", "/catalogue/knob/scheduler", "/changes", "/history"];
await mkdir(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
for (const [look, width, colorScheme] of [["wide-light", 1280, "light"], ["wide-dark", 1280, "dark"], ["phone-light", 320, "light"]]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && console.log(look, message.text()));
  page.on("pageerror", (error) => console.log(look, "PAGE ERROR", error.message));
  await page.goto(base);
  for (const path of pages) {
    await page.goto(new URL(path, base).href);
    await page.waitForSelector("h1");
    await page.waitForTimeout(path.startsWith("/live") ? 9000 : 1500);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    if (wider) console.log(look, path, "is wider than the window");
    await page.screenshot({ path: `${out}/${look}${path.replace(/[/?&=,]/g, "-")}.png`, fullPage: true });
  }
  await context.close();
}
await browser.close();
