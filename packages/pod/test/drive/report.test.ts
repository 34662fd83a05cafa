/** The report of a run with those that follow it: what was refused counts from the input on, and in a run that began by itself from there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { noPoints } from "@yoi/worker";
import { openParts, type Parts } from "../../../../test/inbox/parts.ts";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";

const effect = (what: string) => ({ tool_calls: [{ name: "Effect", arguments: { what } }] });

test("a refusal of the input's run stands in the report of the chain, and in none of a later run", async () => {
  const host = memoryHost({ seed: 8 });
  let notified: Promise<void> | null = null;
  const parts: Parts = await openParts({
    host,
    scenario: JSON.stringify({
      steps: [
        effect("forbidden"),
        { text: "I may not." },
        effect("allowed"),
        { text: "I heard." },
        { text: "And again." },
      ],
    }),
    tools: [effectTool(new World(), host)],
    points: (drain) => ({
      ...noPoints,
      drain,
      gate: async ({ args }) =>
        args["what"] === "forbidden"
          ? { action: "deny", reason: "ask somebody", refusal: "asked" }
          : { action: "allow" },
    }),
    observer: ({ type }) => {
      if (type === "text") notified ??= parts.notify("news");
    },
    beginsOwnRuns: true,
  });
  const report = await parts.submit("go");
  assert.deepEqual([report.outcome, report.turns], [{ kind: "finished", text: "I may not." }, 4]);
  // The last calls of the chain were let through; the answer to the input still lacked a permission.
  assert.equal(report.permissionNeeded, true);
  assert.deepEqual(
    report.denials.map(({ tool, reason, kind }) => [tool, reason, kind]),
    [["Effect", "ask somebody", "asked"]],
  );
  await parts.notify("more news");
  await host.advance(1_000);
  assert.deepEqual(
    parts.own.reports.map(({ outcome, denials, permissionNeeded, turns }) => [
      outcome.kind,
      denials,
      permissionNeeded,
      turns,
    ]),
    [["finished", [], false, 1]],
  );
  assert.deepEqual(parts.own.failures, []);
  await parts.close();
});
