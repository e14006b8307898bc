// Builds dist/ from src/, or with --check says whether dist/ is what src/ gives.
//
// The bundle is committed, so that building the binary needs no Node. esbuild's output depends on its input and its
// version alone, and the version is in the lock file.
import { build } from "esbuild";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "dist");
const LARGEST_BYTES = 150_000;

// The server's figures come with classes; what those look like stands in the report's own sheet, between the first rule of
// a figure and what hides narrow ones. Here it holds inside `.svg` alone.
const figures = {
  name: "figures",
  setup(plan) {
    plan.onResolve({ filter: /^figures\.css$/ }, () => ({ path: "figures.css", namespace: "figures" }));
    plan.onLoad({ filter: /.*/, namespace: "figures" }, async () => {
      const sheet = await readFile(join(here, "../crates/around/page/assets/page.css"), "utf8");
      const [start, end] = [sheet.indexOf("svg.fig{"), sheet.indexOf(".narrow{display:none}")];
      if (start < 0 || end < start) throw new Error("crates/around/page/assets/page.css: the rules of figures are not found");
      return { contents: `.svg {\n${sheet.slice(start, end)}\n}`, loader: "css" };
    });
  },
};

async function bundle() {
  const made = await build({
    absWorkingDir: here,
    entryPoints: { app: "src/main.tsx", stream: "src/net/shared.ts" },
    bundle: true,
    format: "esm",
    target: ["es2021", "chrome100", "firefox100", "safari15.4"],
    plugins: [figures],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    charset: "utf8",
    loader: { ".css": "css" },
    outdir: "dist",
    write: false,
    logLevel: "warning",
  });
  const files = new Map(made.outputFiles.map((file) => [file.path.split("/").pop(), Buffer.from(file.contents)]));
  for (const name of ["index.html", "icon.svg"]) files.set(name, await readFile(join(here, "src", name)));
  files.set("licences.txt", Buffer.concat([...(await licences())]));
  return files;
}

// MIT asks that its text goes with the code.
async function licences() {
  const text = async (name) => `${name}\n\n${await readFile(join(here, "node_modules", name, "LICENSE"), "utf8")}\n`;
  return (await Promise.all(["preact", "uplot"].map(text))).map((one) => Buffer.from(one));
}

function weigh(files) {
  let gzip = 0;
  let brotli = 0;
  for (const [name, bytes] of [...files].sort()) {
    const small = gzipSync(bytes, { level: 9 }).length;
    gzip += small;
    brotli += brotliCompressSync(bytes).length;
    console.log(`  ${name.padEnd(12)} ${String(bytes.length).padStart(7)} bytes, ${String(small).padStart(6)} with gzip`);
  }
  console.log(`  together ${gzip} bytes with gzip, ${brotli} with brotli; at most ${LARGEST_BYTES}`);
  if (gzip >= LARGEST_BYTES) throw new Error(`the bundle is too large: ${gzip} bytes with gzip`);
}

async function check(files) {
  const there = new Set(await readdir(dist));
  const wrong = [];
  for (const [name, bytes] of files) {
    if (!there.delete(name) || !bytes.equals(await readFile(join(dist, name)))) wrong.push(name);
  }
  wrong.push(...there);
  if (wrong.length) {
    console.error(`web/dist is not what web/src gives: ${wrong.join(", ")}. Run tools/web and commit web/dist.`);
    process.exit(1);
  }
}

const files = await bundle();
weigh(files);
if (process.argv.includes("--check")) await check(files);
else {
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(dist, name), bytes);
}
