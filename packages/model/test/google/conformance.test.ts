/** The Google adapter against the conformance suite. */
import { test } from "node:test";
import assert from "node:assert/strict";
import { VERSION } from "@ai-sdk/google";
import { googleAdapter } from "../../src/google/adapter.ts";
import { adapterConformance } from "../conformance/suite.ts";
import { adapter } from "./bench.ts";

adapterConformance(adapter);

test("the version that requests of the Google adapter are recorded with is the one installed", () => {
  assert.equal(googleAdapter.version, VERSION);
});
