/** Trying for a lease: that somebody has it is an answer, and any other failure is one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, YoiError } from "@yoi/base";
import { isHeldError, tryAcquire } from "../src/index.ts";

const name = podName("boreas");
const held = new YoiError("pod_held", "somebody has it");
const failed = new YoiError("io_failed", "the disk is gone");
const failing = (error: Error) => ({ acquire: async () => Promise.reject(error) });

test("a lease that somebody has is an answer, a free one is taken, and any other failure is thrown", async () => {
  const lease = { name, release: async () => {} };
  assert.deepEqual(await tryAcquire({ acquire: async () => lease }, name, "stop"), { lease });
  assert.deepEqual(await tryAcquire(failing(held), name, "stop"), { error: held });
  await assert.rejects(tryAcquire(failing(failed), name, "stop"), failed);
  assert.deepEqual([held, failed, new Error("pod_held")].map(isHeldError), [true, false, false]);
});
