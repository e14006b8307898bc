// Runs tests/*.test.ts with node's own runner; esbuild takes the types off first, so that any Node from 18 on will do.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = await mkdtemp(join(tmpdir(), "iodyno-web-"));
try {
  const tests = (await readdir(here)).filter((name) => name.endsWith(".test.ts"));
  await build({
    entryPoints: tests.map((name) => join(here, name)),
    bundle: true, platform: "node", format: "esm", outdir: out, outExtension: { ".js": ".mjs" }, logLevel: "warning",
  });
  const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
  const ran = spawnSync(process.execPath, ["--test", ...files], { encoding: "utf8" });
  process.exitCode = ran.status ?? 1;
  const sums = ran.stdout.split("\n").filter((line) => /^. (pass|fail) /.test(line)).map((line) => line.slice(2));
  console.log(ran.status === 0 ? `web: ${sums.join(", ")}` : ran.stdout + ran.stderr);
} finally {
  await rm(out, { recursive: true, force: true });
}
