/** What closes a run that was cut: results, kept text, one note, in that order, and only once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type EntryBody, noUsage } from "@yoi/base";
import { resumingEntries } from "../src/closing.ts";
import { closingEntries } from "../src/index.ts";
import { LogHistory } from "./support/log-history.ts";

const request = (history: LogHistory): EntryBody => ({
  kind: "llm_request",
  through: history.lastSeq,
  items: history.items.length,
  projection: { prune_before: null },
  tools: "0",
  config: history.state.config,
  adapter: { name: "a", version: "1" },
  lowering: 1,
  digest: "0",
  wire: { sha256: "0", bytes: 1, method: "POST", path: "/", headers: {} },
});

const bodyOf = (entries: readonly EntryBody[]): string => {
  const last = entries.at(-1);
  return last?.kind === "system_item" ? last.item.body : "";
};

test("nothing open, nothing to close", async () => {
  const history = new LogHistory();
  assert.deepEqual(closingEntries(history), []);
  await history.say("go");
  assert.deepEqual(closingEntries(history), []);
  await history.append([request(history)]);
  assert.deepEqual(closingEntries(history), []);
});

test("a cut stream: texts are kept as incomplete, a partial call is not, and the note names it", async () => {
  const history = new LogHistory();
  await history.say("go");
  const [asked] = await history.append([request(history)]);
  const seq = asked?.seq ?? 0;
  await history.append([
    { kind: "assistant_partial", request: seq, index: 0, block: "reasoning", from: 0, text: "hm" },
    { kind: "assistant_partial", request: seq, index: 1, block: "text", from: 0, text: "I wi" },
    {
      kind: "assistant_partial",
      request: seq,
      index: 2,
      block: "tool_call",
      name: "Bash",
      from: 0,
      text: '{"com',
    },
  ]);
  const entries = closingEntries(history);
  assert.deepEqual(entries.slice(0, -1), [
    {
      kind: "assistant_item",
      request: seq,
      index: 0,
      item: { type: "reasoning", text: "hm", status: "incomplete" },
    },
    {
      kind: "assistant_item",
      request: seq,
      index: 1,
      item: { type: "assistant_message", text: "I wi", status: "incomplete" },
    },
  ]);
  assert.equal(
    bodyOf(entries),
    "Your previous answer was cut off; what had arrived of it is kept. If it is still needed, go on where it stops, without repeating it. " +
      "Its calls were not complete and were not executed: Bash. Make them again if they are still needed.",
  );
  await history.append(entries);
  assert.deepEqual(closingEntries(history), []);
  history.assertBuilds();
});

test("a cut batch: started calls are unknown, the others not executed, and the note says which", async () => {
  const history = new LogHistory();
  await history.say("go");
  const [asked] = await history.append([request(history)]);
  const seq = asked?.seq ?? 0;
  const call = (index: number, name: string): EntryBody => ({
    kind: "assistant_item",
    request: seq,
    index,
    item: { type: "tool_call", call: callId(seq, index), name, arguments: "{}" },
  });
  await history.append([call(0, "Bash"), call(1, "Write"), call(2, "Read")]);
  await history.append([
    { kind: "tool_started", call: callId(seq, 0) },
    { kind: "tool_started", call: callId(seq, 1) },
  ]);
  await history.append([
    {
      kind: "tool_result",
      item: { type: "tool_result", call: callId(seq, 1), name: "Write", summary: "ok", is_error: false },
    },
  ]);
  const entries = closingEntries(history);
  const closed = (index: number, name: string, summary: string) => ({
    kind: "tool_result",
    item: { type: "tool_result", call: callId(seq, index), name, summary, is_error: true },
  });
  assert.deepEqual(entries.slice(0, -1), [
    closed(0, "Bash", "outcome unknown, check before repeating"),
    closed(2, "Read", "not executed"),
  ]);
  assert.equal(
    bodyOf(entries),
    `The run was cut short in the middle of its tool calls. Started, and their outcome is unknown; check before repeating: Bash (${seq}.0). Not executed: Read (${seq}.2).`,
  );
  await history.append(entries);
  assert.deepEqual(closingEntries(history), []);
  history.assertBuilds();
});

test("an answer whose batch a crash tore gets its note, also before a new input", async () => {
  const history = new LogHistory();
  await history.say("go");
  const [asked] = await history.append([request(history)]);
  const seq = asked?.seq ?? 0;
  const item = { type: "assistant_message", text: "half a", status: "incomplete" } as const;
  await history.append([{ kind: "assistant_item", request: seq, index: 0, item }]);
  for (const entries of [closingEntries(history), resumingEntries(history)]) {
    assert.equal(entries.length, 1);
    assert.match(bodyOf(entries), /^Your previous answer was cut off; what had arrived of it is kept\./);
  }
  await history.append(closingEntries(history));
  assert.deepEqual([closingEntries(history), resumingEntries(history)], [[], []]);
});

test("calls of an answer whose batch a crash tore are not run by a resume; those of a whole one are", async () => {
  const history = new LogHistory();
  await history.say("go");
  const [asked] = await history.append([request(history)]);
  const seq = asked?.seq ?? 0;
  const call = callId(seq, 0);
  // Behind it stood, perhaps, that the call was cut in its arguments.
  const item = { type: "tool_call", call, name: "Write", arguments: "{}" } as const;
  await history.append([{ kind: "assistant_item", request: seq, index: 0, item }]);
  const result = {
    type: "tool_result",
    call,
    name: "Write",
    summary: "not executed",
    is_error: true,
  } as const;
  assert.deepEqual(resumingEntries(history).slice(0, -1), [{ kind: "tool_result", item: result }]);

  await history.append([{ kind: "llm_usage", request: seq, usage: noUsage, finish: "tool_calls" }]);
  assert.deepEqual(resumingEntries(history), []);
});

test("a cut stream that had said nothing visible leaves the note, and no blank item", async () => {
  const history = new LogHistory();
  await history.say("go");
  const [asked] = await history.append([request(history)]);
  const seq = asked?.seq ?? 0;
  await history.append([
    { kind: "assistant_partial", request: seq, index: 0, block: "text", from: 0, text: "\n\n" },
  ]);
  const entries = closingEntries(history);
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ["system_item"],
  );
  assert.equal(bodyOf(entries), "Your previous answer was cut off before any of it could be kept.");
});
