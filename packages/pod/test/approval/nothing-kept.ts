/** Approvals in which no answer counts for another call, and no call leaves the scope. */
import assert from "node:assert/strict";
import type { ApprovalsOptions } from "../../src/approval/approvals.ts";

const none = (): never => assert.fail("nothing is kept here");

export const nothingKept: ApprovalsOptions["asking"] = {
  permissions: { offers: async () => [], isAskedByModeAlone: async () => false },
  kept: { covering: async () => null, begin: none },
  scope: {
    leaving: async () => null,
    lets: () => [],
    givesPath: () => null,
    sync: async () => {},
    allowOnce: none,
    check: none,
  },
};
