import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { thirdPartyLicenses } from "./scripts/third-party-licenses.ts";

/** Of one and the same bundle, however often it is built. */
export const buildsKept = 5;

/**
 * In the place of `cleanDir`: a Pod that runs for days loads a part of the bundle when it first needs it, and so after the next build too.
 * Parts are named by their content, and stay until that many other bundles have come after theirs.
 */
export const earlierBuilds: Plugin = {
  name: "earlier-builds",
  writeBundle({ dir = "" }, bundle) {
    const list = join(dir, "builds.json");
    const files = Object.keys(bundle).toSorted();
    const others = buildsIn(list).filter((build) => build.join() !== files.join());
    const builds = [files, ...others].slice(0, buildsKept);
    const kept = new Set(["builds.json", ...builds.flat()]);
    for (const name of readdirSync(dir))
      if (!kept.has(name)) rmSync(join(dir, name), { recursive: true, force: true });
    writeFileSync(list, JSON.stringify(builds));
  },
};

/** None where a build was broken off in the middle of it. */
function buildsIn(list: string): string[][] {
  try {
    return existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  } catch {
    return [];
  }
}

/**
 * One bundle of the whole program, split at every dynamic import so that a command loads what it uses. Few files, and required ones: Node
 * looks up and links each module of an import graph on its own, and for an import of a built-in it evaluates every lazy export of that (with
 * `node:http` a whole fetch). A required file has no await at its top level; the build says so where a source has one.
 */
export default defineConfig({
  input: {
    yoi: "packages/cli/src/main.ts",
    // Beside the chunk that starts it: a thread is a program of its own.
    "page-thread": "packages/tools/src/web/page-thread/thread.ts",
  },
  platform: "node",
  plugins: [thirdPartyLicenses, earlierBuilds],
  // They bring programs for the platform, which lie in packages of their own.
  external: ["@napi-rs/keyring", "@vscode/ripgrep"],
  // What the provider libraries share is imported by each of them, and on its own where one is not known yet.
  checks: { ineffectiveDynamicImport: false },
  output: {
    dir: "packages/cli/dist",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunk-[hash].cjs",
    sourcemap: true,
    // One character beyond Latin-1 doubles what the source of a whole chunk takes in memory, for the life of the process.
    charset: "ascii",
    // Each with all that it imports and no earlier one holds: the command line, a run, how a model fails (the scripted one too, which needs none of
    // the provider libraries), and what those share.
    codeSplitting: {
      groups: [
        { name: "main", test: /\/packages\/cli\/src\/main\.ts$/, priority: 3 },
        { name: "run", test: /\/packages\/cli\/src\/commands\/run\.ts$/, priority: 2 },
        { name: "failure", test: /\/packages\/model\/src\/(failure|usage-limit)\.ts$/, priority: 2 },
        {
          name: "provider",
          test: /\/node_modules\/@ai-sdk\/provider(-utils)?\/|\/packages\/model\/src\/adapter\//,
          priority: 1,
        },
      ],
    },
  },
});
