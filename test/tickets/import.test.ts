/** The first cases of an import that is killed; and that they find one whose writes come in another order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Files } from "@yoi/host";
import { proofTest } from "../support/proof.ts";
import { importKilled, killAndRunAgain } from "./import.proof.ts";

proofTest(importKilled);

/** What makes a ticket of an old one comes to the disk before what belongs to it. */
function threadFirst(files: Files): Files {
  const waiting: (() => Promise<void>)[] = [];
  return {
    ...files,
    async replace(path, data) {
      if (/\/(?:artifacts\/.*|item\.md|resolution\.md)$/.test(path)) {
        waiting.push(() => files.replace(path, data));
        return;
      }
      await files.replace(path, data);
      for (const write of waiting.splice(0)) await write();
    },
  };
}

test("control: with the thread written first, a killed import is not made whole", async () => {
  const failed: number[] = [];
  for (let index = 0; index < importKilled.cases.test; index += 1)
    await killAndRunAgain(index, threadFirst).catch((error: unknown) => {
      if (!(error instanceof assert.AssertionError)) throw error;
      failed.push(index);
    });
  assert.ok(failed.length >= 5, `only the cases ${failed.join(", ")} found it`);
});
