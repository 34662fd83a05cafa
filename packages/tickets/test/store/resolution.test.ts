/** resolution.md of a ticket that is opened again: gone, and gone for good. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { memoryStore, root, textAt, ticketIn, user } from "./memory-store.ts";

test("that resolution.md was taken away is on disk when reopening is done", async () => {
  const host = memoryHost({ seed: 1 });
  const done: string[] = [];
  const files: typeof host.files = {
    ...host.files,
    removeFile: async (path) => {
      await host.files.removeFile(path);
      done.push(`remove ${path}`);
    },
    syncDirectory: async (path) => {
      await host.files.syncDirectory(path);
      done.push(`sync ${path}`);
    },
  };
  const { store } = memoryStore({ ...host, files });
  const id = await ticketIn("closed", store);
  const path = `${id}/resolution.md`;
  assert.equal(await textAt({ host }, path), "Closed.\n");
  done.length = 0;
  await store.reopen(id, "Not done.", user);
  assert.equal(await textAt({ host }, path), null);
  assert.deepEqual(done, [`remove ${root}/${path}`, `sync ${root}/${id}`]);
});
