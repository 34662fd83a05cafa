/** The demo's claims hold for honest evidence, and each lie is found by the claim that it is about. */
import assert from "node:assert/strict";
import test from "node:test";
import { type DemoEvidence, demoClaims } from "../../src/demo/claims.ts";

const before = Buffer.from("one\ntwo\n");

const honest: DemoEvidence = {
  before,
  after: Buffer.concat([before, Buffer.from("three\n")]),
  effects: ["effect"],
  effectLine: "effect",
  closedAs: "outcome unknown, check before repeating",
  processesLeft: 0,
  outside: [],
  refusal: "The path is outside.",
  verify: { ok: true, requests: 3, wire_checked: 3 },
};

const lost = "Nothing acknowledged is lost";
const twice = "Nothing runs twice unasked";
const running = "Nothing is left running";
const scope = "Nobody writes outside the scope";
const rebuilt = "Every prompt can be rebuilt and checked from the log";

test("every claim holds for honest evidence, and says the numbers that it stands on", () => {
  assert.deepEqual(demoClaims(honest), [
    {
      claim: lost,
      holds: true,
      evidence: "2 entries were on disk when SIGKILL came; the same bytes stand before the 1 that followed.",
    },
    {
      claim: twice,
      holds: true,
      evidence:
        "the killed command's effect is there 1 time(s); its call was closed with: outcome unknown, check before repeating",
    },
    { claim: running, holds: true, evidence: "0 processes of the killed command are alive." },
    {
      claim: scope,
      holds: true,
      evidence: "the write was refused (The path is outside.); the folder outside holds 0 files.",
    },
    { claim: rebuilt, holds: true, evidence: "3 requests rebuilt, 3 bodies compared, no difference." },
  ]);
});

const lies: readonly (readonly [string, Partial<DemoEvidence>, string])[] = [
  ["another byte in what was on disk", { after: Buffer.from("one\ntwO\nthree\n") }, lost],
  ["a line less", { after: Buffer.from("one\n") }, lost],
  ["an empty log", { before: Buffer.alloc(0) }, lost],
  ["an effect that happened again", { effects: ["effect", "effect"] }, twice],
  ["an effect that never happened", { effects: [] }, twice],
  ["a call without a result", { closedAs: null }, twice],
  ["a process that is alive", { processesLeft: 1 }, running],
  ["a file outside", { outside: ["note.txt"] }, scope],
  ["a write that was not refused", { refusal: null }, scope],
  ["a difference", { verify: { ok: false, requests: 3, wire_checked: 3 } }, rebuilt],
  ["a body that was not compared", { verify: { ok: true, requests: 3, wire_checked: 2 } }, rebuilt],
  ["no request at all", { verify: { ok: true, requests: 0, wire_checked: 0 } }, rebuilt],
];

for (const [what, lie, claim] of lies) {
  test(`a planted lie is found: ${what}`, () => {
    const failed = demoClaims({ ...honest, ...lie }).filter(({ holds }) => !holds);
    assert.deepEqual(
      failed.map((one) => one.claim),
      [claim],
    );
  });
}
