import { defineConfig } from "rolldown";

/** One bundle of the whole program, split at every dynamic import so that a command loads what it uses. */
export default defineConfig({
  input: { yoi: "packages/cli/src/main.ts" },
  platform: "node",
  output: {
    dir: "packages/cli/dist",
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunk-[hash].mjs",
    sourcemap: true,
  },
});
