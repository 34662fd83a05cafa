import { defineConfig } from "rolldown";

/** One bundle of the whole program, split at every dynamic import so that a command loads what it uses. */
export default defineConfig({
  input: { yoi: "packages/cli/src/main.ts" },
  platform: "node",
  // They bring programs for the platform, which lie in packages of their own.
  external: ["@napi-rs/keyring", "@vscode/ripgrep"],
  output: {
    dir: "packages/cli/dist",
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunk-[hash].mjs",
    cleanDir: true,
    sourcemap: true,
  },
});
