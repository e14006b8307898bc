// A server for working on the pages without building Rust: answers from a binary's own documents, and remembers nothing.
//
//     node dev/mock.mjs path/to/iodyno [port]
//
// It draws no figures and starts no load; IODYNO_STATE_DIR says whose records it shows.
import { execFile, spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { extname, join } from "node:path";
import { promisify } from "node:util";

const [program, port = "8099"] = process.argv.slice(2);
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const run = promisify(execFile);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain" };
const POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

async function document(...words) {
  const { stdout } = await run(program, ["--json", ...words], { maxBuffer: 1 << 28 });
  return JSON.parse(stdout);
}

const targets = [
  { key: "root", path: "/", kind: "mount", safe_to_load: true, why_not: null },
  { key: "tmp", path: "/var/tmp", kind: "directory", safe_to_load: true, why_not: null },
  { key: "disk", path: "/dev/vda", kind: "disk", safe_to_load: true, why_not: "only reads; a load that writes would destroy what is on it" },
];

async function records(query) {
  const list = await document("list");
  const text = (query.get("text") ?? "").toLowerCase();
  list.records = list.records.filter((row) => row.summary.toLowerCase().includes(text)
    && (!query.get("device") || row.device === query.get("device")) && (!query.get("verb") || row.verb === query.get("verb")));
  return { ...list, records: list.records.slice(0, Number(query.get("limit") ?? 100)) };
}

const answers = [
  [/^\/session$/, () => ({ csrf: "x", read_only: false, version: "0.1.0", hostname: "dev" })],
  [/^\/login$/, () => ({ csrf: "x" })],
  [/^\/targets$/, () => ({ targets })],
  [/^\/machine$/, (_, query) => document("inspect", targets.find((one) => one.key === query.get("target"))?.path ?? "/")],
  [/^\/records$/, (_, query) => records(query)],
  [/^\/records\/(\d+)$/, ([, id]) => document("show", id)],
  [/^\/records\/\d+\/figures$/, () => []],
  [/^\/catalogue$/, () => document("catalogue")],
  [/^\/changes$/, () => document("status")],
  [/^\/jobs$/, () => ({ jobs: [] })],
  [/^\/compare$/, (_, query) => document("compare", `--base=${query.get("base")}`, ...query.get("r").split(","))],
  [/^\/rank$/, (_, query) => document("compare", "--rank", ...query.get("r").split(","))],
  [/^\/history$/, (_, query) => document("history", query.get("device"))],
];

function events(response) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  const watch = spawn(program, ["--json", "watch", "--every", "250ms"], { stdio: ["ignore", "pipe", "ignore"] });
  let rest = "";
  watch.stdout.on("data", (bytes) => {
    const lines = (rest + bytes).split("\n");
    rest = lines.pop();
    for (const line of lines) response.write(`event: ${line.startsWith('{"schema":"iodyno.watch') ? "head" : "frame"}\ndata: ${line}\n\n`);
  });
  response.on("close", () => watch.kill("SIGTERM"));
}

async function file(path) {
  const name = extname(path) ? path.replace(/^.*\//, "") : "index.html";
  return [await readFile(join(dist, name)), TYPES[extname(name)] ?? "application/octet-stream"];
}

createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const say = (status, body, type) => response.writeHead(status, { "Content-Type": type, "Content-Security-Policy": POLICY }).end(body);
  try {
    if (!url.pathname.startsWith("/api/")) return say(200, ...(await file(url.pathname)));
    const path = url.pathname.replace("/api/v1", "");
    if (path === "/events") return events(response);
    for (const [pattern, answer] of answers) {
      const found = pattern.exec(path);
      if (found) return say(200, JSON.stringify(await answer(found, url.searchParams)), "application/json");
    }
    say(404, JSON.stringify({ error: `the mock has no ${path}`, what_to_do: "Use the real server." }), "application/json");
  } catch (error) {
    say(500, JSON.stringify({ error: String(error.message ?? error) }), "application/json");
  }
}).listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
