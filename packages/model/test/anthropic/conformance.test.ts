/** The Anthropic adapter against the conformance suite. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { VERSION } from "@ai-sdk/anthropic";
import { anthropicAdapter } from "../../src/anthropic/adapter.ts";
import { adapterConformance } from "../conformance/suite.ts";
import { adapter } from "./bench.ts";

adapterConformance(adapter);

test("the version that requests are recorded with is the one installed", () => {
  assert.equal(anthropicAdapter.version, VERSION);
});
