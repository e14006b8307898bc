// What it costs to leave the live page open: a server with 50 busy devices, ten samples a second, one browser that shows
// them, for an hour.
//
//     node bench/live.mjs BINARY [MINUTES]
//
// Makes 50 loop devices over files in memory, lets fio read and write all of them, and takes them away again; needs
// root, fio, chromium and the packages of web/. An hour (the default) rewrites its section of bench/RESULTS.md, a shorter
// run only prints.
import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";

const { chromium } = createRequire(new URL("../web/package.json", import.meta.url))("playwright-core");
const [binary, minutesAsked = "60"] = process.argv.slice(2);
if (!binary) {
  console.error("usage: node bench/live.mjs BINARY [MINUTES]");
  process.exit(2);
}
const MINUTES = Number(minutesAsked);
const DEVICES = 50;
const DEVICE_BYTES = 4 << 20;
const RESULTS = new URL("RESULTS.md", import.meta.url);
const ticksPerS = Number(execFileSync("getconf", ["CLK_TCK"]));
const scratch = mkdtempSync("/dev/shm/iodyno-live-");
const cleanUp = [() => rmSync(scratch, { recursive: true, force: true })];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function makeDevices() {
  return Array.from({ length: DEVICES }, (_, number) => {
    const file = join(scratch, `disk${number}`);
    writeFileSync(file, "");
    truncateSync(file, DEVICE_BYTES);
    const device = execFileSync("losetup", ["--find", "--show", file]).toString().trim();
    cleanUp.unshift(() => execFileSync("losetup", ["--detach", device]));
    return device;
  });
}

/** A little direct I/O on every device, so that every row of the page has values. */
function load(devices) {
  const all = ["--ioengine=psync", "--direct=1", "--rw=randrw", "--bs=4k", "--rate_iops=5,5", "--thread", "--time_based", "--runtime=1d"];
  const jobs = devices.flatMap((device, number) => [`--name=disk${number}`, `--filename=${device}`, ...all]);
  const child = spawn("nice", ["-n", "19", "fio", "--eta=never", "--output=/dev/null", ...jobs], { stdio: ["ignore", "ignore", "inherit"] });
  cleanUp.unshift(() => new Promise((done) => {
    child.once("exit", done);
    child.kill("SIGKILL");
  }));
}

async function serve() {
  const child = spawn(binary, ["--json", "serve", "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, IODYNO_STATE_DIR: join(scratch, "state") },
  });
  cleanUp.unshift(() => child.kill("SIGINT"));
  const said = await new Promise((done) => child.stdout.once("data", done));
  return { pid: child.pid, url: JSON.parse(said.toString().split("\n")[0]).url };
}

const childrenOf = (pid) => readdirSync(`/proc/${pid}/task`).flatMap((task) =>
  readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number));

/** CPU seconds since its start and resident MiB. */
function used(pid) {
  const after = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ");
  const kib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
  return { cpuS: (Number(after[11]) + Number(after[12])) / ticksPerS, mib: kib / 1024 };
}

async function open(url) {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  cleanUp.unshift(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(url);
  await page.locator("main h1").first().waitFor({ timeout: 120_000 });
  await page.goto(new URL("/live", url).href);
  await page.locator("[data-row]").first().waitFor({ timeout: 120_000 });
  const cdp = await context.newCDPSession(page);
  const heapMib = async () => {
    await cdp.send("HeapProfiler.collectGarbage");
    return (await cdp.send("Runtime.getHeapUsage")).usedSize / 2 ** 20;
  };
  return { page, heapMib, problems };
}

function section(rows, shown, problems) {
  const [first, last] = [rows[0], rows.at(-1)];
  const seconds = last.atS - first.atS;
  const share = (who) => (100 * (last[who].cpuS - first[who].cpuS) / seconds).toFixed(2);
  const kernel = readFileSync("/proc/sys/kernel/osrelease", "utf8").trim();
  const picked = rows.filter((_, at) => at === 0 || (at % 10 === 0) || at === rows.length - 1);
  const line = (row) => `| ${Math.round(row.atS / 60)} | ${row.server.mib.toFixed(1)} | ${row.watch.mib.toFixed(1)} | ${row.heapMib.toFixed(1)} |`;
  return `Linux ${kernel}, load average ${loadavg()[0].toFixed(2)} at the end. ${DEVICES} loop devices with I/O, ten samples a second, ${Math.round(seconds / 60)} minutes, \
the page in headless Chromium shows ${shown} devices; ${problems.length === 0 ? "no error in the page" : `errors in the page: ${problems.length}`}.

The server took ${share("server")} % of a CPU (goal 5 %), the \`watch\` that feeds it ${share("watch")} %.

| minute | server, MiB | its \`watch\`, MiB | the page's own objects, MiB |
|---|---|---|---|
${picked.map(line).join("\n")}
`;
}

function update(text) {
  const [begin, end] = ["<!-- live:begin -->\n", "<!-- live:end -->"];
  const old = readFileSync(RESULTS, "utf8");
  const [before, rest] = old.split(begin);
  writeFileSync(RESULTS, `${before}${begin}${text}${end}${rest.split(end)[1]}`);
}

async function main() {
  load(makeDevices());
  const server = await serve();
  const { page, heapMib, problems } = await open(server.url);
  // The page and the server fill what they keep anyway: buffers, the last ten seconds, the layout.
  await sleep(30_000);
  const began = Date.now();
  const rows = [];
  for (let minute = 0; minute <= MINUTES; minute++) {
    await sleep(Math.max(0, began + minute * 60_000 - Date.now()));
    const watch = childrenOf(server.pid).find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("watch"));
    rows.push({ atS: (Date.now() - began) / 1000, server: used(server.pid), watch: used(watch), heapMib: await heapMib() });
    console.error(JSON.stringify(rows.at(-1)));
  }
  const shown = await page.locator("[data-row]").count();
  const text = section(rows, shown, problems);
  console.log(text);
  if (MINUTES >= 60) update(text);
}

let status = 0;
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => finish(130));
async function finish(code) {
  for (const undo of cleanUp) {
    try { await undo(); } catch (error) { console.error(`left behind: ${error.message}`); }
  }
  process.exit(code);
}
try {
  await main();
} catch (error) {
  console.error(error);
  status = 1;
}
await finish(status);
