/** The claims of the demo of loans hold for honest evidence, and each lie is found by the claim that it is about. */
import assert from "node:assert/strict";
import test from "node:test";
import { loansClaims, type LoansEvidence, type SeenChild } from "../../src/demo/loans-claims.ts";

const open = (part: string): SeenChild => ({ state: "hosted", loan: "open", writes: [`/w/${part}`] });
const back = (loan: string): SeenChild => ({ state: "idle", loan, writes: [] });

const honest: LoansEvidence = {
  parts: { killed: "src/a", kept: "src/b" },
  working: { killed: open("src/a"), kept: open("src/b"), parentLends: 2 },
  lenderRefused: [true, true, true, true],
  lenderFiles: ["src/a/back.txt", "src/b/back.txt"],
  work: { killed: ["begun"], kept: ["begun", "finished"] },
  finishedAlone: true,
  processesLeft: 0,
  killedRestored: back("lost"),
  end: { killed: back("lost"), kept: back("stopped") },
  told: { killedBack: 1, keptBack: 1, keptFinished: 1, refusedBefore: true },
  verified: ["lead", "alpha", "beta"].map((pod) => ({ pod, ok: true, requests: 2 })),
};

const own = "Each child may write what was lent to it, and nothing else";
const lender = "The lender cannot write what it has lent";
const dead = "A child that is killed leaves nothing running, and its loan comes back once";
const alone = "A child that lives goes on without its parent, and keeps its loan";
const again = "What was lent is the lender's again";
const rebuilt = "Every prompt of all three can be rebuilt and checked from the logs";

test("every claim holds for honest evidence", () => {
  assert.deepEqual(
    loansClaims(honest).map(({ claim, holds }) => [claim, holds]),
    [own, lender, dead, alone, again, rebuilt].map((claim) => [claim, true]),
  );
});

const { working, work, end, told, verified } = honest;
const lies: readonly (readonly [string, Partial<LoansEvidence>, string])[] = [
  [
    "a child with more",
    { working: { ...working, killed: { ...open("src/a"), writes: ["/w/src/a", "/w"] } } },
    own,
  ],
  ["a child with the other's part", { working: { ...working, kept: open("src/a") } }, own],
  ["a child without a loan", { working: { ...working, kept: back("lost") } }, own],
  ["a parent that lends one part", { working: { ...working, parentLends: 1 } }, own],
  ["a write of the lender that got through", { lenderRefused: [true, false, true, true] }, lender],
  ["no write that was tried", { lenderRefused: [] }, lender],
  [
    "a file of the lender in what it had lent",
    { lenderFiles: [...honest.lenderFiles, "src/b/kept.txt"] },
    lender,
  ],
  ["a process of the killed one", { processesLeft: 1 }, dead],
  ["work that was done twice", { work: { ...work, killed: ["begun", "begun"] } }, dead],
  ["work that went on", { work: { ...work, killed: ["begun", "finished"] } }, dead],
  ["a loan that is open still", { killedRestored: open("src/a") }, dead],
  ["a loan that came back twice", { told: { ...told, killedBack: 2 } }, dead],
  ["a loan that came back unsaid", { told: { ...told, killedBack: 0 } }, dead],
  ["a parent that was alive", { finishedAlone: false }, alone],
  ["work that was not finished", { work: { ...work, kept: ["begun"] } }, alone],
  ["an end that was told twice", { told: { ...told, keptFinished: 2 } }, alone],
  ["a loan that was cut off", { told: { ...told, refusedBefore: false } }, alone],
  ["a part that did not come back", { lenderFiles: ["src/a/back.txt"] }, again],
  ["a loan that is open at the end", { end: { ...end, kept: open("src/b") } }, again],
  ["another loan that came back twice", { told: { ...told, keptBack: 2 } }, again],
  ["a difference", { verified: verified.with(1, { pod: "alpha", ok: false, requests: 2 }) }, rebuilt],
  [
    "a log without a request",
    { verified: verified.with(2, { pod: "beta", ok: true, requests: 0 }) },
    rebuilt,
  ],
  ["a log that was not checked", { verified: verified.slice(1) }, rebuilt],
];

for (const [lie, planted, claim] of lies) {
  test(`found: ${lie}`, () => {
    const failed = loansClaims({ ...honest, ...planted }).filter(({ holds }) => !holds);
    assert.deepEqual(
      failed.map((one) => one.claim),
      [claim],
    );
  });
}
