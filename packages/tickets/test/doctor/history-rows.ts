/** Steps that were not legal, or not for who made them. */
import { b, comesTo, type Row, steps, thinks } from "./sound.ts";
import type { TicketEvent } from "../../src/ticket.ts";
import { event, item } from "./tree.ts";

const { ready, queued, inprogress, report, approved, done } = steps;

export const historyRows: readonly Row[] = [
  {
    name: "an item that the thread left behind",
    change: { [`${b}/item.md`]: item({ state: "ready" }) },
    found: [`error state_mismatch ${b}/item.md fixable`],
    left: [],
  },
  {
    name: "a step that follows from nothing",
    change: comesTo("inprogress", inprogress),
    found: [`error transition_illegal ${b}/thread.md:5`, `error state_contested ${b}/thread.md:5`],
  },
  {
    name: "a step that nobody may make",
    change: comesTo("done", ready, event(12, { kind: "state_changed", from: "ready", to: "done" })),
    found: [`error transition_illegal ${b}/thread.md:9`],
  },
  {
    name: "a step that this role may not make",
    change: comesTo(
      "ready",
      event(2, { kind: "state_changed", from: "planning", to: "ready", role: "coder" }),
    ),
    found: [`error transition_illegal ${b}/thread.md:5`],
  },
  {
    name: "a gate that a model opened",
    change: comesTo(
      "queued",
      ready,
      event(12, { kind: "state_changed", from: "ready", to: "queued", role: "orchestrator" }),
    ),
    found: [`error human_gate ${b}/thread.md:9`],
  },
  {
    name: "a way back without a reason",
    change: thinks(ready, event(12, { kind: "state_changed", from: "ready", to: "planning" })),
    found: [`warning reason_missing ${b}/thread.md:9`],
  },
  {
    name: "done without a review",
    change: comesTo("done", ready, queued, inprogress, report, done),
    found: [`error done_unreviewed ${b}/thread.md:24`],
  },
  {
    name: "done on a review of an earlier report",
    change: comesTo(
      "done",
      ready,
      queued,
      inprogress,
      event(13, {
        kind: "implementation_report",
        id: "00001KT6Q013A",
        role: "coder",
        author: "hands",
        body: "x",
      }),
      event(14, { kind: "review", id: "00001KT6Q014A", role: "reviewer", author: "eyes", status: "approve" }),
      report,
      done,
    ),
    found: [`error done_unreviewed ${b}/thread.md:35`],
  },
  {
    name: "done on a review of what was reported before it was begun",
    change: comesTo("done", ready, report, approved, queued, inprogress, done),
    found: [`error done_unreviewed ${b}/thread.md:31`],
  },
  {
    name: "done by a person, who needs no review",
    change: comesTo(
      "done",
      ready,
      queued,
      inprogress,
      event(16, { kind: "state_changed", from: "inprogress", to: "done" }),
    ),
    found: [],
  },
  {
    name: "a review that decides nothing",
    change: thinks(event(2, { kind: "review", status: "maybe", body: "x" })),
    found: [`error review_status ${b}/thread.md:5`],
  },
  {
    name: "a review of one's own report",
    change: thinks(
      report,
      event(15, { kind: "review", status: "approve", author: "hands", role: "reviewer", body: "x" }),
    ),
    found: [`error review_own ${b}/thread.md:12`],
  },
  {
    name: "a review by who may not",
    change: thinks(event(2, { kind: "review", status: "approve", role: "coder", body: "x" })),
    found: [`error role_not_allowed ${b}/thread.md:5`],
  },
  {
    name: "a migration by who may not",
    change: thinks(event(2, { kind: "migration", to: "planning", role: "intake" })),
    found: [`error role_not_allowed ${b}/thread.md:5`],
  },
  {
    name: "a migration that hides what was before",
    change: comesTo(
      "queued",
      event(2, { kind: "state_changed", from: "planning", to: "queued", role: "coder" }),
      event(3, { kind: "migration", to: "queued" }),
    ),
    found: [`error transition_illegal ${b}/thread.md:5`],
  },
  {
    name: "a state that two branches changed, merged",
    change: comesTo("inprogress", ready, queued, later("planning", { reason: "no" }), inprogress),
    found: [`error state_contested ${b}/thread.md:17`],
  },
  {
    name: "the same change of state on two branches, merged",
    change: comesTo(
      "queued",
      ready,
      queued,
      event(99, { kind: "state_changed", from: "ready", to: "queued" }),
    ),
    found: [],
  },
  {
    name: "a state that two branches changed, and a person settled",
    change: comesTo("inprogress", ready, queued, later("planning", { reason: "no" }), inprogress, settled()),
    found: [],
  },
  {
    name: "a state that two branches changed, and a Pod settled, without a reason",
    change: comesTo(
      "inprogress",
      ready,
      queued,
      later("planning", { reason: "no" }),
      inprogress,
      settled({ role: "orchestrator", reason: "" }),
    ),
    found: [`error human_gate ${b}/thread.md:21`, `warning reason_missing ${b}/thread.md:21`],
  },
];

function later(to: string, said: Partial<TicketEvent>): string {
  return event(98, { kind: "state_changed", from: "queued", to, ...said });
}

function settled(said: Partial<TicketEvent> = {}): string {
  const [from, to] = ["planning", "inprogress"];
  const other = { settles: `${from} ${to}` };
  return event(99, { kind: "state_changed", from, to, reason: "agreed", other, ...said });
}
