/** The log of each released format is read for ever: the same entries, the same bytes again, the same state. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { canonicalJson, type LogEntry } from "@yoi/base";
import { decodeLog, jsonOfEntry, replay, type SessionState } from "../src/index.ts";
import { childrenBytes } from "./support/children-log.ts";
import { continuedBytes } from "./support/continued-log.ts";
import { inboxBytes } from "./support/inbox-log.ts";
import { chainLines, sampleBytes, sampleRef } from "./support/sample-log.ts";
import { serviceBytes } from "./support/service-log.ts";

const golden = (name: string) => readFileSync(new URL(`golden/${name}`, import.meta.url));

test("format 1", () => {
  const bytes = golden("format-1.jsonl");
  const log = decodeLog(bytes, { path: "format-1.jsonl", ref: sampleRef });
  assert.deepEqual([log.damage, log.tail.state, log.entries.length], [null, "none", 36]);
  const entries = log.entries.filter((entry): entry is LogEntry => !("detached" in entry));
  assert.ok(Buffer.concat(chainLines(entries.map(jsonOfEntry)).map((line) => line.bytes)).equals(bytes));
  const { items, unanswered, partials, config, run, usage, measured, turnCount, epoch } = replay(entries);
  const state = { items, unanswered, partials, config, run, usage, measured, turnCount, epoch };
  assert.deepEqual(
    JSON.parse(canonicalJson(state)),
    JSON.parse(golden("format-1.state.json").toString("utf8")),
  );
});

test("format 1: what it cost is not known, and one of its requests was never counted", () => {
  const log = decodeLog(golden("format-1.jsonl"), { path: "format-1.jsonl", ref: sampleRef });
  const entries = log.entries.filter((entry): entry is LogEntry => !("detached" in entry));
  assert.deepEqual(replay(entries).cost, { nano_usd: 0, unpriced_requests: 3 });
});

test("what is written today is format 1 still", () => {
  // The golden log is the sample log, and then two lines of a later version.
  assert.ok(golden("format-1.jsonl").subarray(0, sampleBytes.length).equals(sampleBytes));
});

test("format 1, what waits and what somebody keeps in the log", () => {
  const bytes = golden("format-1-inbox.jsonl");
  const log = decodeLog(bytes, { path: "format-1-inbox.jsonl", ref: sampleRef });
  assert.deepEqual([log.damage, log.tail.state, log.entries.length], [null, "none", 16]);
  const entries = log.entries.filter((entry): entry is LogEntry => !("detached" in entry));
  assert.ok(Buffer.concat(chainLines(entries.map(jsonOfEntry)).map((line) => line.bytes)).equals(bytes));
  const { items, inbox, extensions, run, epoch } = replay(entries);
  const state = { items, inbox, extensions: Object.fromEntries(extensions), run, epoch };
  assert.deepEqual(
    JSON.parse(canonicalJson(state)),
    JSON.parse(golden("format-1-inbox.state.json").toString("utf8")),
  );
  assert.ok(inboxBytes.equals(bytes), "what is written today is that still");
});

test("format 1, a Pod as a service", () => {
  const bytes = golden("format-1-service.jsonl");
  const log = decodeLog(bytes, { path: "format-1-service.jsonl", ref: sampleRef });
  assert.deepEqual([log.damage, log.tail.state, log.entries.length], [null, "none", 28]);
  const entries = log.entries.filter((entry): entry is LogEntry => !("detached" in entry));
  assert.ok(Buffer.concat(chainLines(entries.map(jsonOfEntry)).map((line) => line.bytes)).equals(bytes));
  const { items, unanswered, approvals, submissions, inbox, measured, run } = replay(entries);
  const named = Object.fromEntries(submissions);
  const state = { items, unanswered, approvals, submissions: named, inbox, measured, run };
  assert.deepEqual(
    JSON.parse(canonicalJson(state)),
    JSON.parse(golden("format-1-service.state.json").toString("utf8")),
  );
  assert.ok(serviceBytes.equals(bytes), "what is written today is that still");
});

test("format 1, children and their ends", () => {
  const bytes = golden("format-1-children.jsonl");
  const log = decodeLog(bytes, { path: "format-1-children.jsonl", ref: sampleRef });
  assert.deepEqual([log.damage, log.tail.state, log.entries.length], [null, "none", 14]);
  const entries = log.entries.filter((entry): entry is LogEntry => !("detached" in entry));
  assert.ok(Buffer.concat(chainLines(entries.map(jsonOfEntry)).map((line) => line.bytes)).equals(bytes));
  const { items, inbox, submissions, childCursors, extensions, run, epoch } = replay(entries);
  const state = {
    items,
    inbox,
    submissions: Object.fromEntries(submissions),
    child_cursors: Object.fromEntries(childCursors),
    extensions: Object.fromEntries(extensions),
    run,
    epoch,
  };
  assert.deepEqual(
    JSON.parse(canonicalJson(state)),
    JSON.parse(golden("format-1-children.state.json").toString("utf8")),
  );
  assert.ok(childrenBytes.equals(bytes), "what is written today is that still");
});

test("format 2, a segment that goes on from another one", () => {
  const bytes = golden("format-2.jsonl");
  const log = decodeLog(bytes, { path: "format-2.jsonl", ref: sampleRef });
  assert.deepEqual([log.damage, log.tail.state, log.entries.length], [null, "none", 27]);
  const entries = log.entries.filter((entry): entry is LogEntry => !("detached" in entry));
  assert.deepEqual(
    JSON.parse(canonicalJson(allOf(replay(entries)))),
    JSON.parse(golden("format-2.state.json").toString("utf8")),
  );
  assert.ok(continuedBytes.equals(bytes), "what is written today is that still");
});

/** Every field of the fold that the start of a segment, what it carries, or what came with that changes. */
function allOf(state: SessionState) {
  const { items, unanswered, partials, measured, run, usage, cost, spent, calibration, projection } = state;
  const { generation, origin, left, compaction, inbox, submissions, childCursors, extensions } = state;
  const { turnCount, epoch, states } = state;
  const ofHistory = {
    items,
    unanswered,
    partials,
    measured,
    run,
    usage,
    cost,
    spent,
    calibration,
    projection,
  };
  const ofPlace = { generation, origin, left, compaction, inbox, turnCount, epoch, states };
  return {
    ...ofHistory,
    ...ofPlace,
    submissions: Object.fromEntries(submissions),
    child_cursors: Object.fromEntries(childCursors),
    extensions: Object.fromEntries(extensions),
  };
}
