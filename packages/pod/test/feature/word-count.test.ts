/** The feature of docs/features.md, in a Pod: what the page says of a feature holds for one that was written by it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import {
  openSimulated,
  simulatedPod,
  simulatedStores,
  type SimulatedOptions,
} from "../../../../test/support/simulated-pod.ts";
import { readActive } from "../../src/index.ts";
import { wordCountFeature } from "./word-count.ts";

const text = "one  two\nthree";
const call = { name: "WordCount", arguments: { text } };
const wrong = { name: "WordCount", arguments: { text: 1 } };

test("a feature that is written by the page is installed as a whole, and does what it declares", async () => {
  const options: SimulatedOptions = {
    host: memoryHost({ seed: 1 }),
    leases: new Map(),
    scenario: JSON.stringify({ steps: [{ tool_calls: [call, wrong, call, call] }, { text: "done" }] }),
    tools: [],
    features: [wordCountFeature()],
  };
  const pod = await openSimulated(options);
  const [report] = pod.features;
  assert.deepEqual(
    [report?.feature, report?.status, report?.tools, report?.hooks, report?.skipped, report?.diagnostics],
    [
      "builtin:word-count",
      "installed",
      ["WordCount"],
      [{ name: "bound", point: "pre_tool_call", required: true }],
      [],
      [],
    ],
  );
  const { outcome } = await pod.submit([{ type: "text", text: "go" }]);
  assert.equal(outcome.kind, "finished");
  await pod.close();
  const { view } = await readActive(simulatedStores(options.host, new Map()), simulatedPod);
  const results = view.entries.flatMap((entry) =>
    entry.kind === "tool_result" && !("opaque" in entry) ? [entry.item] : [],
  );
  assert.deepEqual(
    results.map(({ is_error: isError, summary }) => [isError ?? false, summary]),
    [
      [true, "builtin:word-count (bound): Words are counted 3 times at most."],
      [false, "3 words"],
      [true, "text is to be a string"],
      [false, "3 words"],
    ],
    "what is denied has its result before anything runs",
  );
});
