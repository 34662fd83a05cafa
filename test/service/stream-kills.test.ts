/** The first kills under three clients, and one that keeps no cursor, which is found out. */
import assert from "node:assert/strict";
import test from "node:test";
import { proofTest } from "../support/proof.ts";
import { streamsThroughKills } from "./stream-kills.proof.ts";
import { streamsSurvive } from "./streams.ts";

proofTest(streamsThroughKills);

test("a client that ignores its cursor does not have the log's own sequence", async () => {
  await assert.rejects(streamsSurvive({ seed: 0, kills: 0, keepsPlace: false }), assert.AssertionError);
});
