/** What a log ends with, for a list: from its end alone, read once for as long as the log is the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryBody } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { SessionStore } from "@yoi/session-store";
import { dataDir, firstSegment, storesOf, user } from "../../../pod/test/timeline/segments.ts";
import { entriesLookedAtMax, LastWords } from "../../src/ui/last-words.ts";

const invoke: EntryBody = { kind: "invoke", trigger: "user_send" };
const answer = (text: string): EntryBody => ({
  kind: "assistant_item",
  request: 4,
  index: 0,
  item: { type: "assistant_message", text, status: "completed" },
});
const completed: EntryBody = { kind: "run_completed", result: "finished" };
const filler: EntryBody = { kind: "extension", domain: "x", payload: 1 };

async function said(bodies: readonly EntryBody[]) {
  const stores = storesOf(memoryHost({ seed: 1 }));
  return new LastWords(stores).of(await firstSegment(stores, bodies), 1);
}

test("the last line, and why a run stands", async () => {
  const until = Date.UTC(2026, 0, 2, 3, 4);
  const cases: readonly (readonly [readonly EntryBody[], { lastLine: string; paused: string | null }])[] = [
    [[], { lastLine: "", paused: null }],
    [[invoke, user("do\nthis"), answer("did\nthat\n"), completed], { lastLine: "that", paused: null }],
    [[invoke, user("do\nthis")], { lastLine: "this", paused: "cut off in mid-run" }],
    [
      [invoke, user("do"), answer("\u001b[2J"), { kind: "run_paused", reason: "user" }],
      { lastLine: "\\u001b[2J", paused: "paused" },
    ],
    [
      [invoke, user("do"), { kind: "run_paused", reason: "provider_limit", until }],
      { lastLine: "> do", paused: "paused until 2026-01-02 03:04 (provider limit)" },
    ],
    [
      [invoke, user("do"), { kind: "run_paused", reason: "interrupted" }, filler],
      { lastLine: "> do", paused: "cut off in mid-run" },
    ],
    [
      [invoke, user("do"), { kind: "run_errored", code: "x", message: "y" }],
      { lastLine: "> do", paused: null },
    ],
  ];
  for (const [bodies, wanted] of cases) assert.deepEqual(await said(bodies), wanted, JSON.stringify(bodies));
});

test(`no more than ${entriesLookedAtMax} entries are looked at`, async () => {
  const behind = async (count: number): Promise<string> => {
    const others = Array.from({ length: count }, (): EntryBody => filler);
    return (await said([user("do"), ...others])).lastLine;
  };
  assert.equal(await behind(entriesLookedAtMax - 1), "> do");
  assert.equal(await behind(entriesLookedAtMax), "");
});

test("a log is read again when it has grown, and one that cannot be read says nothing", async () => {
  const stores = storesOf(memoryHost({ seed: 1 }));
  const ref = await firstSegment(stores, [user("do")]);
  let readings = 0;
  const readLines = (
    ...args: Parameters<SessionStore["readLines"]>
  ): ReturnType<SessionStore["readLines"]> => {
    readings += 1;
    return stores.sessions.readLines(...args);
  };
  const words = new LastWords({ sessions: { readLines } });
  for (const usedMs of [1, 1, 2, 2]) assert.equal((await words.of(ref, usedMs)).lastLine, "> do");
  assert.equal(readings, 2);
  await stores.host.files.removeFile(`${dataDir}/sessions/${ref.session}/${ref.segment}.jsonl`);
  assert.deepEqual(await words.of(ref, 3), { lastLine: "", paused: null });
});
