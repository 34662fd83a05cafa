/** The first kills while a history goes on elsewhere; the control has a name that refers to half a segment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { rotationKills } from "./rotation-kill.proof.ts";
import { mixedCase } from "./rotation-kill.ts";

proofTest(rotationKills);

test("control: a name that refers to half of a segment is found out", async () => {
  await assert.rejects(mixedCase("rewind"));
});
