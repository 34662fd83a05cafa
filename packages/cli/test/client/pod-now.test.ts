/** What a list says of a hosted Pod. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PendingApproval, PodView } from "@yoi/protocol";
import { hostPurpose } from "@yoi/pod-store";
import { askedAtOnceMax, nowOf, nowText, podsNow } from "../../src/client/pod-now.ts";
import { openStores } from "../../src/compose/stores.ts";
import { nobodysEnvironment } from "./nobodys-environment.ts";
import { viewOf } from "./view.ts";

const waiting: PendingApproval = {
  digest: "d",
  call: "8.0",
  tool: "Bash",
  arguments: "{}",
  reason: "rule 1",
  expires: 0,
};

for (const [approvals, omitted, count, text] of [
  [[], undefined, 0, "running"],
  [[waiting], undefined, 1, "running, 1 call waits"],
  [[waiting], 2, 3, "running, 3 calls wait"],
  [[], 1, 1, "running, 1 call waits"],
] as const)
  test(`${approvals.length} calls that wait, and ${omitted ?? "no"} more that are too large to be sent`, () => {
    const more = omitted === undefined ? {} : { approvals_omitted: omitted };
    const { about, ...view } = viewOf({ approvals, ...more });
    const now = nowOf({ ...view, about: { ...about, permission_mode: "allow-in-scope" } });
    assert.deepEqual([now.approvals, nowText(now)], [count, text]);
  });

test("a Pod that waits says until when and for what; one that waits for somebody is paused", () => {
  const until = Date.UTC(2026, 10, 22, 14, 5, 59);
  const rows: readonly [NonNullable<PodView["paused"]>, string][] = [
    [{ reason: "provider_limit", until }, "paused until 2026-11-22 14:05 (provider limit)"],
    [{ reason: "network", until }, "paused until 2026-11-22 14:05 (no answer)"],
    [{ reason: "user" }, "paused"],
  ];
  for (const [paused, text] of rows) {
    const { about, ...view } = viewOf({ state: "paused", paused });
    const now = nowOf({ ...view, about: { ...about, permission_mode: "allow-in-scope" } });
    assert.deepEqual([now.paused, nowText(now)], [{ until: null, ...paused }, text]);
  }
});

test("a Pod that compacts says so, in a run and by hand", () => {
  const { about, ...view } = viewOf({ compaction: { trigger: "user", tokens: 9 } });
  const now = nowOf({ ...view, about: { ...about, permission_mode: "allow-in-scope" } });
  assert.deepEqual([now.compacting, nowText(now)], [true, "compacting"]);
});

test(`hosted Pods are asked ${askedAtOnceMax} at a time, and no others`, async () => {
  const environment = nobodysEnvironment;
  const reach = { environment, stores: openStores(environment), client: "test" };
  for (const count of [askedAtOnceMax, askedAtOnceMax + 1]) {
    const names = Array.from({ length: count }, (_, n) => `p${n}`);
    const hosted = names.map((name) => ({ name, ownerPid: 1, ownerPurpose: hostPurpose }));
    const other = { name: "other", ownerPid: 1, ownerPurpose: "run" };
    let asking = 0;
    let most = 0;
    const now = await podsNow([other, ...hosted], reach, async () => {
      asking += 1;
      most = Math.max(most, asking);
      await new Promise((resolve) => setImmediate(resolve));
      asking -= 1;
      return null;
    });
    assert.deepEqual([[...now.keys()], most], [names, askedAtOnceMax]);
  }
});
