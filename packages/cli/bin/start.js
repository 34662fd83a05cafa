// Runs the bundle when it is newer than every source file below packages/*/src, or when a process that runs the bundle begins this one; else the
// source itself. The version needs neither.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const bundle = new URL("../dist/yoi.cjs", import.meta.url);
const source = new URL("../src/main.ts", import.meta.url);
const compiled = new URL("../dist/compiled/", import.meta.url);
const packages = new URL("../../", import.meta.url);

function newestMs(dir) {
  let newest = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const url = new URL(entry.isDirectory() ? `${entry.name}/` : entry.name, dir);
    newest = Math.max(newest, entry.isDirectory() ? newestMs(url) : statSync(url).mtimeMs);
  }
  return newest;
}

function bundleIsCurrent() {
  if (!existsSync(source)) return true; // installed from a package: there is only the bundle
  if (!existsSync(bundle)) return false;
  const builtMs = statSync(bundle).mtimeMs;
  return readdirSync(packages).every((name) => {
    const src = new URL(`${name}/src/`, packages);
    return !existsSync(src) || newestMs(src) <= builtMs;
  });
}

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
} else {
  await run();
}

async function run() {
  // A Pod's process begins another one: that is the program that its own is. Said for this process alone.
  const isToldBundle = process.env.YOI_RUNS_BUNDLE === "1" && existsSync(bundle);
  delete process.env.YOI_RUNS_BUNDLE;
  // Compiled code is trusted like the code itself, so it lies beside it;
  // Node's own place is in /tmp, which others may write.
  module.enableCompileCache?.(fileURLToPath(compiled));
  const { main } = await import(isToldBundle || bundleIsCurrent() ? bundle.href : source.href);
  await main(args);
}
