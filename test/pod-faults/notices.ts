/** Notices to a simulated Pod: who sends them when, and the verdict that each that was accepted is told once, in order. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { isKnown, type LogEntry } from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import type { Pod } from "@yoi/pod";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import type { Witness } from "./witness.ts";

/** Each text is unique. */
export interface TimedNotice {
  readonly text: string;
  /** After the Pod was opened. */
  readonly afterMs: number;
}

const source = "project:ci";
const delaysMs = [0, 0, 0, 1, 60, 300, 300, 900, 2_500];
const noticesMax = 5;

/** Those of a seed: the same ones every time. Half of all sessions have none. */
export function noticesOf(seed: number): readonly TimedNotice[] {
  const random = seededRandom(seed ^ 0x5bd1e995);
  if (random.below(2) === 0) return [];
  return Array.from({ length: 1 + random.below(noticesMax) }, (_, nth) => ({
    text: `Notice ${nth}.`,
    afterMs: delaysMs[random.below(delaysMs.length)] ?? 0,
  }));
}

/** A sender that was never told that its notice arrived looks whether it did, and sends it again if not. Resolves when all have their answer; rejects with the first refusal. */
export async function sendNotices(
  pod: Pod,
  notices: readonly TimedNotice[],
  { host, witness }: { readonly host: MemoryHost; readonly witness: Witness },
): Promise<void> {
  const arrived = new Set(acceptedTexts(witness.ledger.acknowledged));
  await Promise.all(
    notices.map(async ({ text, afterMs }) => {
      if (arrived.has(text)) return;
      if (afterMs > 0) await host.timers.sleep(afterMs);
      await pod.notify({ source, message: text });
      if (!host.crashed) witness.noticed.push(text);
    }),
  );
}

function acceptedTexts(entries: readonly LogEntry[]): string[] {
  return entries.flatMap((entry) =>
    isKnown(entry) && entry.kind === "inbox_accepted" ? [entry.item.body] : [],
  );
}

/** Holds at every moment: a sender that heard yes is on record, and what was told was accepted before, is told once, and in that order. */
export function judgeNotices(noticed: readonly string[], entries: readonly LogEntry[], where: string): void {
  const accepted = acceptedTexts(entries);
  assert.equal(new Set(accepted).size, accepted.length, `${where}: a notice was accepted twice`);
  for (const text of noticed)
    assert.ok(accepted.includes(text), `${where}: "${text}" was accepted, and it is gone`);
  let last = -1;
  const told = new Set<string>();
  for (const entry of entries) {
    if (!isKnown(entry) || entry.kind !== "system_item" || entry.item.source !== source) continue;
    const { body } = entry.item;
    assert.ok(!told.has(body), `${where}: "${body}" is told twice`);
    told.add(body);
    const { delivers = -1 } = entry;
    const from = entries[delivers];
    assert.ok(
      from?.kind === "inbox_accepted" && delivers < entry.seq && isKnown(from),
      `${where}: "${body}" is told, and nothing says where it is from`,
    );
    assert.ok(isDeepStrictEqual(from.item, entry.item), `${where}: "${body}" is not what was accepted`);
    assert.ok(delivers > last, `${where}: "${body}" is told out of order`);
    last = delivers;
  }
}

/** Holds when everything has come to its end. */
export function judgeAllTold(entries: readonly LogEntry[]): void {
  const told = new Set(
    entries.flatMap((entry) => (isKnown(entry) && entry.kind === "system_item" ? [entry.delivers] : [])),
  );
  for (const { kind, seq } of entries)
    assert.ok(kind !== "inbox_accepted" || told.has(seq), `what was accepted as entry ${seq} is never told`);
}
