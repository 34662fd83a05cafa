/** The claims of the demo of tickets hold for honest evidence, and each lie is found by the claim that it is about. */
import assert from "node:assert/strict";
import test from "node:test";
import type { TicketEvent } from "@yoi/tickets";
import { ticketsClaims, type TicketsEvidence } from "../../src/demo/tickets-claims.ts";
import { commitTitles } from "../../src/demo/tickets-steps.ts";

const event = (id: string, author: string, kind: string, more: Partial<TicketEvent> = {}): TicketEvent => ({
  id,
  kind,
  author,
  role: author === "hare" ? "user" : "coder",
  at: "2026-06-03T12:23:17.001Z",
  body: "",
  ...more,
});
const created = event("0", "hare", "create");
const queued = event("1", "hare", "state_changed", { to: "queued" });
const taken = event("2", "lead", "state_changed", { to: "inprogress", role: "orchestrator" });
const report = event("3", "coder", "implementation_report");
const sentBack = event("4", "reviewer", "review", { status: "request_changes" });
const again = event("5", "coder", "implementation_report");
const approved = event("6", "reviewer", "review", { status: "approve" });
const done = event("7", "lead", "state_changed", { to: "done" });

const honest: TicketsEvidence = {
  events: [created, queued, taken, report, sentBack, again, approved, done],
  refused: "A coder may not.",
  writesRefused: { coder: 1, reviewer: 1 },
  commits: commitTitles,
  main: { before: "a", behindPods: "a" },
  tests: { before: false, onBranch: true, merged: true },
  reportedAlone: true,
  told: ["1", "3", "4", "5", "6"],
  clones: ["T"],
  overreach: 0,
  states: { behindPods: "done", end: "closed" },
  loans: ["stopped", "stopped"],
  whole: true,
  verified: ["lead", "coder", "reviewer"].map((pod) => ({ pod, ok: true, requests: 2 })),
};

const begins = "Work begins where a person queued it";
const own = "The coder works on a clone of its own, and does not say itself that it is done";
const reviewed = "Another Pod reviews it, and what it asks for is done";
const goesOn = "A killed orchestrator goes on, and does nothing twice";
const left = "Merge and close are a person's";
const back = "What was lent is back, the ticket is whole, and every prompt can be rebuilt";

test("every claim holds for honest evidence", () => {
  assert.deepEqual(
    ticketsClaims(honest).map(({ claim, holds }) => [claim, holds]),
    [begins, own, reviewed, goesOn, left, back].map((claim) => [claim, true]),
  );
});

const { events, main, tests, states, verified } = honest;
const lies: readonly (readonly [string, Partial<TicketsEvidence>, readonly string[]])[] = [
  ["a Pod that queued it", { events: events.with(1, { ...queued, role: "coder" }) }, [begins]],
  ["taken before it was queued", { events: events.with(1, taken).with(2, queued) }, [begins]],
  ["never taken", { events: events.filter((one) => one !== taken) }, [begins]],
  ["a coder that was not refused", { refused: null }, [own]],
  ["a coder that writes beside its clone", { writesRefused: { coder: 0, reviewer: 1 } }, [own]],
  ["a reviewer that writes", { writesRefused: { coder: 1, reviewer: 0 } }, [own]],
  ["a main branch that moved", { main: { ...main, behindPods: "b" } }, [own]],
  ["a second clone", { clones: ["T", "T.part"] }, [own, goesOn]],
  ["a round without a review", { events: events.filter((one) => one !== sentBack) }, [reviewed, goesOn]],
  ["a review by the coder", { events: events.with(6, { ...approved, author: "coder" }) }, [reviewed]],
  ["one commit", { commits: commitTitles.slice(1) }, [reviewed]],
  ["tests that never failed", { tests: { ...tests, before: true } }, [reviewed]],
  ["tests that fail on the branch", { tests: { ...tests, onBranch: false } }, [reviewed]],
  ["a report beside a living orchestrator", { reportedAlone: false }, [goesOn]],
  ["an event that was told twice", { told: ["1", "3", "3", "4", "5", "6"] }, [goesOn]],
  ["an event that was not told", { told: ["1", "3", "5", "6"] }, [goesOn]],
  ["a call that merges", { overreach: 1 }, [left]],
  ["a ticket that the Pods closed", { states: { ...states, behindPods: "closed" } }, [left]],
  ["a ticket that is open at the end", { states: { ...states, end: "done" } }, [left]],
  ["tests that fail when it is merged", { tests: { ...tests, merged: false } }, [left]],
  ["a loan that is not back", { loans: [] }, [back]],
  ["a loan that was lost", { loans: ["stopped", "lost"] }, [back]],
  ["something that doctor found", { whole: false }, [back]],
  ["a difference", { verified: verified.with(1, { pod: "coder", ok: false, requests: 2 }) }, [back]],
  ["a log that was not checked", { verified: verified.slice(1) }, [back]],
];

for (const [lie, planted, claims] of lies) {
  test(`found: ${lie}`, () => {
    const failed = ticketsClaims({ ...honest, ...planted }).filter(({ holds }) => !holds);
    assert.deepEqual(
      failed.map((one) => one.claim),
      claims,
    );
  });
}
