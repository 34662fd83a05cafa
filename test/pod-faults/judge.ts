/** The verdict on a log after a crash: what left the machine is in it, once, in order; what never happened is not. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type CallId, type Entry, flattenInput, isKnown, itemOf, type LogEntry } from "@yoi/base";
import type { PodEvent } from "@yoi/pod";
import { judgeAllTold, judgeNotices } from "./notices.ts";
import { judgeAttachments } from "./references.ts";
import { cutCallMark } from "./session.ts";
import type { SentRequest, Witness } from "./witness.ts";

type Of<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

export function entriesOf<K extends Entry["kind"]>(entries: readonly LogEntry[], kind: K): Of<K>[] {
  return entries.filter((entry): entry is Of<K> => isKnown(entry) && entry.kind === kind);
}

/** Holds at every moment, whoever looks. */
export function judgeLog(witness: Witness, entries: readonly LogEntry[], where: string): void {
  witness.ledger.check(entries, where);
  judgeEffects(witness, entries, where);
  judgeSent(witness, entries, where);
  judgeTold(witness.told, entries, where);
  judgeOnce(entries, where);
  judgeAttachments(entries, where);
  judgeNotices(witness.noticed, entries, where);
  const closings = entries.filter(isClosing);
  assert.ok(
    closings.length >= witness.reports.length,
    `${where}: ${witness.reports.length} runs were reported as ended, the log has ${closings.length}`,
  );
}

/** The record that ends a run. */
export function isClosing({ kind }: LogEntry): boolean {
  return /^(run_completed|run_errored|run_paused|turn_rolled_back)$/.test(kind);
}

/** What may be there once only. */
function judgeOnce(entries: readonly LogEntry[], where: string): void {
  const seen = new Set<string>();
  const once = (what: string) => {
    assert.ok(!seen.has(what), `${where}: ${what.slice(0, 80)} is in the log twice`);
    seen.add(what);
  };
  for (const [seq, entry] of entries.entries()) {
    assert.equal(entry.seq, seq, `${where}: seq is not dense`);
    if (!isKnown(entry)) continue;
    if (entry.kind === "assistant_item") once(`block ${entry.request}.${entry.index}`);
    if (entry.kind === "llm_usage") once(`usage of ${entry.request}`);
    if (entry.kind === "tool_started") once(`start of ${entry.call}`);
    if (entry.kind === "tool_result") once(`result of ${entry.item.call}`);
    if (entry.kind === "user_input") once(`input ${flattenInput(entry.parts)}`);
    if (entry.kind === "opened") once(`epoch ${entry.epoch}`);
  }
}

/** Everything that the model was shown is on record: the request before it was sent, and each item as it was. */
function judgeSent({ sent }: Witness, entries: readonly LogEntry[], where: string): void {
  const records = entriesOf(entries, "llm_request");
  let at = -1;
  for (const [nth, { wire }] of sent.entries()) {
    // A retry sends the same bytes under the same record.
    const again = sent[nth - 1]?.wire.sha256 === wire.sha256 && records[at]?.wire.sha256 === wire.sha256;
    const next = records.findIndex((record, index) => index > at && record.wire.sha256 === wire.sha256);
    assert.ok(again || next >= 0, `${where}: request ${nth} was sent and is not on record`);
    if (next >= 0 && !again) at = next;
  }
  // Requests are prefixes of one another (judgePrefixes), so the last one holds the items of all.
  for (const { seq, item } of sent.at(-1)?.request.items ?? []) {
    const entry = entries[seq];
    const stored = entry === undefined ? null : itemOf(entry);
    assert.ok(
      isDeepStrictEqual(stored, item),
      `${where}: the model was shown an item ${seq} (${item.type}) that is not in the log`,
    );
  }
}

/** What a client was told as record is in the log, in the order in which it was told. */
export function judgeTold(told: readonly PodEvent[], entries: readonly LogEntry[], where: string): void {
  const last = new Map<string, number>();
  const found = (event: PodEvent, match: (entry: Entry) => boolean) => {
    const from = (last.get(event.type) ?? -1) + 1;
    const seq = entries.findIndex((entry, index) => index >= from && isKnown(entry) && match(entry));
    assert.ok(seq >= 0, `${where}: a client was told ${JSON.stringify(event)} and it is not in the log`);
    last.set(event.type, seq);
  };
  for (const event of told) {
    switch (event.type) {
      case "request_recorded":
        found(event, (e) => e.kind === "llm_request" && e.seq === event.seq);
        break;
      case "answer":
        found(
          event,
          (e) => e.kind === "llm_usage" && e.request === event.request && e.finish === event.finish,
        );
        break;
      case "text":
        found(
          event,
          (e) =>
            e.kind === "assistant_item" && e.item.type === "assistant_message" && e.item.text === event.text,
        );
        break;
      case "tool_start":
        found(event, (e) => e.kind === "tool_started" && e.call === event.call);
        // Calls of one batch are told in the order in which they begin, which lanes may change.
        last.delete(event.type);
        break;
      case "tool_end":
        found(event, (e) => e.kind === "tool_result" && isDeepStrictEqual(e.item, event.result));
        break;
      case "denied":
        found(event, (e) => e.kind === "tool_result" && e.item.call === event.call);
        break;
      default:
    }
  }
}

/** An effect belongs to a call that is on record as started, and happens at most once; a call that was cut off has none. */
function judgeEffects(witness: Witness, entries: readonly LogEntry[], where: string): void {
  const started = new Set<CallId>(entriesOf(entries, "tool_started").map(({ call }) => call));
  for (const [call, times] of witness.effectsByCall) {
    assert.equal(times, 1, `${where}: the call ${call} had its effect ${times} times`);
    assert.ok(started.has(call), `${where}: the call ${call} had its effect and is not on record as started`);
  }
  for (const { call, what } of witness.effects) {
    assert.notEqual(what, cutCallMark, `${where}: the call ${call} was cut in its arguments, and it ran`);
  }
}

/**
 * Items of a request begin with those of the one before, but for an input that was taken back meanwhile; the head is the same but for changes on
 * record. Each asks for something.
 */
export function judgePrefixes(sent: readonly SentRequest[], entries: readonly LogEntry[]): void {
  const takenBack = takenBackIn(entries);
  const changes = entries.filter(({ kind }) => kind === "tools_changed" || kind === "config_changed");
  for (const [nth, { request }] of sent.entries()) {
    const last = request.items.at(-1)?.item;
    assert.ok(last !== undefined, `request ${nth} is empty`);
    const whole = last.type === "assistant_message" && last.status === "completed";
    assert.ok(!whole, `request ${nth} ends in a whole answer: there is nothing to ask`);
    const before = sent[nth - 1]?.request;
    if (before === undefined) continue;
    const isThere = new Set(request.items.map(({ seq }) => seq));
    const kept = before.items.filter(({ seq }) => !takenBack.has(seq) || isThere.has(seq));
    for (const [index, item] of kept.entries()) {
      assert.ok(
        isDeepStrictEqual(request.items[index], item),
        `item ${index} of request ${nth} is not that of the request before it`,
      );
    }
    const { head } = request;
    assert.equal(head.system, before.head.system, `request ${nth} has another system prompt`);
    if (isDeepStrictEqual(head, before.head)) continue;
    const from = before.items.at(-1)?.seq ?? 0;
    const toolsOnRecord = changes.some(({ kind, seq }) => kind === "tools_changed" && seq > from);
    const configOnRecord = changes.some(({ kind, seq }) => kind === "config_changed" && seq > from);
    assert.ok(
      toolsOnRecord || isDeepStrictEqual(head.tools, before.head.tools),
      `request ${nth} has other tools, and no tools_changed says so`,
    );
    assert.ok(
      configOnRecord || isDeepStrictEqual(head.config, before.head.config),
      `request ${nth} has other parameters, and no config_changed says so`,
    );
  }
}

/** Seqs of the items that were rolled back: inputs, and what they attached. */
function takenBackIn(entries: readonly LogEntry[]): ReadonlySet<number> {
  const seqs = new Set<number>();
  for (const { from_seq } of entriesOf(entries, "turn_rolled_back")) {
    const input = entries[from_seq + 1];
    assert.ok(
      input !== undefined && isKnown(input) && input.kind === "user_input",
      "no input was rolled back",
    );
    for (let i = 0; i <= (input.attachments ?? 0); i += 1) seqs.add(input.seq + i);
  }
  return seqs;
}

/** Holds when everything has come to its end: each call is answered once, and what was recorded of a cut answer is kept, with a note. */
export function judgeEnd(entries: readonly LogEntry[]): void {
  judgeAllTold(entries);
  const results = new Set(entriesOf(entries, "tool_result").map(({ item }) => item.call));
  const items = entriesOf(entries, "assistant_item");
  for (const { item } of items) {
    if (item.type === "tool_call")
      assert.ok(results.delete(item.call), `the call ${item.call} has no result`);
  }
  assert.deepEqual([...results], [], "results without a call");

  const usages = new Map(entriesOf(entries, "llm_usage").map((usage) => [usage.request, usage]));
  for (const [block, text] of recordedPieces(entries)) {
    // A blank block is left out of history; nothing else may be.
    if (text.trim() === "") continue;
    const kept = items.find(({ request, index }) => `${request}.${index}` === block)?.item;
    assert.ok(
      kept !== undefined && kept.type !== "tool_call" && kept.text.startsWith(text),
      `what was recorded of block ${block} is not kept: ${JSON.stringify(text)}`,
    );
  }
  for (const { request, seq, item } of items) {
    if (item.type === "tool_call" || item.status === "completed") continue;
    if (usages.get(request)?.finish === "length") continue;
    const next = entries.slice(seq).find((entry) => entry.kind === "llm_request" || isNote(entry));
    assert.ok(next !== undefined && isNote(next), `nothing says that the answer at entry ${seq} was cut off`);
  }
}

function isNote(entry: LogEntry): boolean {
  const item = itemOf(entry);
  return item?.type === "system_item" && item.kind === "interrupt";
}

/** Per block of text or reasoning, what pieces of it are on record. */
function recordedPieces(entries: readonly LogEntry[]): ReadonlyMap<string, string> {
  const pieces = new Map<string, string>();
  for (const piece of entriesOf(entries, "assistant_partial")) {
    const block = `${piece.request}.${piece.index}`;
    const before = pieces.get(block) ?? "";
    // Behind a piece that could not be written there is a hole: what follows is no text of the block's.
    if (piece.block === "tool_call" || piece.from > before.length) continue;
    pieces.set(block, before.slice(0, piece.from) + piece.text);
  }
  return pieces;
}
