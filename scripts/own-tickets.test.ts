/** The project's own tickets: in order, and found by the command that people use. */
import assert from "node:assert/strict";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { nodeHost } from "@yoi/host";
import { createTicketStore } from "@yoi/tickets";

const root = fileURLToPath(new URL("../.yoi/tickets", import.meta.url));

function kindOf(stat: Awaited<ReturnType<typeof lstat>>): "file" | "directory" | "link" | "other" {
  if (stat.isSymbolicLink()) return "link";
  if (stat.isFile()) return "file";
  return stat.isDirectory() ? "directory" : "other";
}

test("the project's own tickets are in order", async () => {
  const store = createTicketStore({
    ...nodeHost(),
    kindAt: (path) =>
      lstat(path).then(kindOf, (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      }),
    root,
  });
  const { problems, more, tickets } = await store.doctor({ fix: false });
  assert.deepEqual([problems, more], [[], 0]);
  assert.ok(tickets > 0, join(root, "*"));
});
