/** The state that several processes race for. */
import { lstatSync } from "node:fs";
import { nodeHost } from "@yoi/host";
import { createFeatureStateStore, type KeptStateStore } from "@yoi/keep";

export function openRaced(dataDir: string): KeptStateStore {
  const { files, ids } = nodeHost();
  const open = createFeatureStateStore({
    files,
    ids,
    dataDir,
    inspect: async (path) => {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return null;
      return { kind: stat.isDirectory() ? "directory" : "file", mode: stat.mode & 0o777, own: true };
    },
  });
  return open("user:race", "count");
}
