/** A log entry as a line: what a request used and cost, and what later ones leave out. */
import assert from "node:assert/strict";
import test from "node:test";
import { type Entry, noUsage } from "@yoi/base";
import { leaveOutAll } from "@yoi/worker";
import { describeEntry } from "../../src/discovery/describe-entry.ts";

test("the line of a usage record has tokens and money, and no money where none is known", () => {
  const entry: Entry = {
    seq: 9,
    batch: 9,
    ts: 0,
    kind: "llm_usage",
    request: 7,
    usage: { ...noUsage, input_tokens: 900, output_tokens: 12 },
    finish: "stop",
  };
  assert.match(describeEntry(entry), / llm_usage +900 in, 12 out, stop$/);
  assert.match(
    describeEntry({ ...entry, cost_nano_usd: 1_920_000 }),
    / llm_usage +900 in, 12 out, \$0\.0019, stop$/,
  );
  assert.match(
    describeEntry({ ...entry, attempt: 2, finish: "interrupted" }),
    / llm_usage +attempt 2: 900 in, 12 out, interrupted$/,
  );
});

test("the line of a projection says what is left out, and the refusal", () => {
  const lineOf = (reasoning_before?: number, images_before?: number) =>
    describeEntry({
      seq: 9,
      batch: 9,
      ts: 0,
      kind: "projection",
      projection: {
        prune_before: null,
        ...(reasoning_before !== undefined && { reasoning_before }),
        ...(images_before !== undefined && { images_before }),
      },
      reason: "images_refused",
      message: "It refused.",
    });
  assert.match(
    lineOf(7, 8),
    / projection +without reasoning before 7, without images before 8: It refused\.$/,
  );
  assert.match(lineOf(leaveOutAll), / projection +without reasoning: It refused\.$/);
});

test("the line of a delivery names the entry that was accepted, whose line says the same", () => {
  const item = {
    type: "system_item",
    kind: "notification",
    source: "project:ci",
    body: "The build\u001b is red.",
  } as const;
  const place = { seq: 9, batch: 9, ts: 0 };
  const accepted = describeEntry({ ...place, kind: "inbox_accepted", item });
  assert.match(accepted, / inbox_accepted +notification from project:ci: The build\\u001b is red\.$/);
  const delivered = describeEntry({ ...place, kind: "system_item", item, delivers: 7 });
  assert.match(delivered, / system_item +\(7\) notification from project:ci: The build\\u001b is red\.$/);
  assert.match(describeEntry({ ...place, kind: "system_item", item }), / system_item +notification from/);
});

test("the line of what somebody keeps in the log has its domain, and how what it holds begins", () => {
  const entry: Entry = { seq: 9, batch: 9, ts: 0, kind: "extension", domain: "yoi.features", payload: ["x"] };
  assert.match(describeEntry(entry), / extension +yoi\.features: \["x"\]$/);
});

test("the line of a pause says why, and until when where time ends it", () => {
  const paused = { seq: 9, batch: 9, ts: 0, kind: "run_paused", detail: "Later." } as const;
  assert.match(describeEntry({ ...paused, reason: "user" }), / run_paused +user: Later\.$/);
  assert.match(
    describeEntry({ ...paused, reason: "network", until: 3_600_000 }),
    / run_paused +network until 1970-01-01T01:00:00\.000Z: Later\.$/,
  );
});
