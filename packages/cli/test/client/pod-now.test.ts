/** What a list says of a hosted Pod. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PendingApproval } from "@yoi/protocol";
import { nowOf, nowText } from "../../src/client/pod-now.ts";
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
