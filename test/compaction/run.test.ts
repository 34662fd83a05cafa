/** Compaction within a run: who leads to it, what is on record of it, how the run ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import type { MadeAnswer } from "./answering-model.ts";
import { openCompacting, storedSegment, storedTimeline, textInput } from "./bench.ts";

test("a run that grows over its threshold goes on in a smaller history, and ends as one run", async () => {
  const host = memoryHost({ seed: 1 });
  const sizes: number[] = [];
  const pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow: 20_000,
    answer: (_request, n): MadeAnswer =>
      n < 12 ? { text: `step ${n}`, calls: [{ name: "Blob", args: { bytes: 8_000 } }] } : { text: "all done" },
    sent: (_request, tokens) => sizes.push(tokens),
  });
  const report = await pod.submit(textInput("do it, and never push"));
  assert.deepEqual(report.outcome, { kind: "finished", text: "all done" });
  assert.equal(report.turns, 13);
  await pod.close();
  const timeline = await storedTimeline(host);
  console.log(timeline.map(({ entries }) => entries.map(({ kind }) => kind).join(" ")).join("\n\n"));
  console.log(sizes);
  const compactor = timeline[0]?.entries.find((entry) => entry.kind === "compaction_begun");
  console.log(compactor);
  for (const { state } of timeline) console.log(state.spent, state.run);
});
