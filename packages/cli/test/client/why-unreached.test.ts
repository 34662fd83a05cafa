/** Why a Pod is not reached: nobody hosts it, it is hosted elsewhere, or whoever hosts it does not answer. Only the last is to be ended. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { createMemoryLease, type LeaseTable } from "@yoi/pod-store";
import { ConnectionLost } from "@yoi/protocol";
import { whyUnreached } from "../../src/client/why-unreached.ts";

const name = podName("p");
const lost = new ConnectionLost("gone");

/** What is said in `asker`, of a Pod held for `purpose` in `owner`. */
async function said(purpose: string | null, owner: string, asker: string) {
  const { clock, processes } = memoryHost({ seed: 1 });
  const table: LeaseTable = new Map();
  const lease = createMemoryLease({ table, clock, processes, runtimeDir: owner });
  if (purpose !== null) await lease.acquire(name, purpose);
  const directories = { config: "/c", data: "/d", runtime: asker };
  const why = await whyUnreached(lost, name, { environment: { directories }, stores: { lease } });
  assert.ok(why instanceof YoiError && why.cause === lost);
  return { code: why.code, message: why.message };
}

test("a healthy Pod of another runtime directory is not to be killed: its environment is named", async () => {
  const { code, message } = await said("host", "/r/1/yoi", "/r/2/yoi");
  assert.equal(code, "unauthorized");
  assert.match(message, /it was started with XDG_RUNTIME_DIR=\/r\/1, use the same\.$/);
  assert.doesNotMatch(message, /kill/);
});

test("one that is hosted here and does not answer is", async () => {
  const { code, message } = await said("host", "/r/1/yoi", "/r/1/yoi");
  assert.equal(code, "pod_unreachable");
  assert.match(
    message,
    /^The process \d+, which hosts the Pod p, does not answer: .*`yoi pod restore p --take-over`/,
  );
});

test("one that takes no clients, and none at all", async () => {
  assert.match((await said("run", "/r/1/yoi", "/r/2/yoi")).message, /for run\): wait until it ends/);
  assert.match((await said(null, "/r/1/yoi", "/r/1/yoi")).message, /is not hosted: .*`yoi pod restore p`/);
});

test("what is no failure of a connection stays what it is", async () => {
  const { clock, processes } = memoryHost({ seed: 1 });
  const lease = createMemoryLease({ table: new Map(), clock, processes });
  const directories = { config: "/c", data: "/d", runtime: "/r" };
  const bug = new TypeError("a bug");
  assert.equal(await whyUnreached(bug, name, { environment: { directories }, stores: { lease } }), bug);
});
