/** Both Files implementations pass the one suite. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryHost, nodeHost } from "../src/index.ts";
import { filesConformance } from "./files-conformance.ts";

filesConformance("node", async () => {
  const root = await mkdtemp(join(tmpdir(), "yoi-files-"));
  return { files: nodeHost().files, root, dispose: () => rm(root, { recursive: true }) };
});

filesConformance("memory", async () => {
  const { files } = memoryHost({ seed: 1 });
  await files.makeDirectory("/root");
  return { files, root: "/root", dispose: async () => {} };
});
