/** What a thread says that its ticket is now. */
import assert from "node:assert/strict";
import test from "node:test";
import { foldThread } from "../src/fold.ts";
import type { TicketEvent } from "../src/ticket.ts";

const nothing = { state: null, relations: [], resolution: null, reporters: [], review: null, lastAt: null };

function events(...some: readonly Partial<TicketEvent>[]): TicketEvent[] {
  return some.map((event, index) => ({
    id: `@${index + 1}`,
    kind: "comment",
    author: "hare",
    role: null,
    at: "",
    body: "",
    ...event,
  }));
}

const approve = { kind: "review", status: "approve" };
const requestChanges = { kind: "review", status: "request_changes" };
const report = { kind: "implementation_report" };
const to = (state: string) => ({ kind: "state_changed", to: state });
const blocks = { relation: "blocks", target: "B" };

test("the thread says what a ticket is now", () => {
  const rows: readonly [readonly Partial<TicketEvent>[], Partial<ReturnType<typeof foldThread>>][] = [
    [[], {}],
    [[{ kind: "create" }, {}], {}],
    [[{ kind: "create", to: "planning" }], { state: "planning" }],
    [[{ kind: "state_changed", from: "planning", to: "ready" }], { state: "ready" }],
    [[{ kind: "comment", to: "ready" }], {}],
    [[{ kind: "state_changed", to: "Ready" }], {}],
    [[{ kind: "state_changed", to: "ready", other: { field: "workflow_state" } }], { state: "ready" }],
    [[{ kind: "state_changed", to: "ready", other: { field: "priority" } }], {}],
    [[{ kind: "migration", from: "open", to: "ready" }], { state: "ready" }],
    [[{ kind: "close", body: "It is there." }, {}], { state: "closed", resolution: "It is there." }],
    [
      [
        { kind: "close", body: "a" },
        { kind: "reopen", to: "planning" },
      ],
      { state: "planning" },
    ],
    [[{ kind: "close", body: "a" }, { kind: "reopen" }], { state: "planning" }],
    [
      [{ kind: "close", body: "a" }, { kind: "reopen" }, { kind: "close", body: "b" }],
      { state: "closed", resolution: "b" },
    ],
    [
      [
        { kind: "close", body: "a" },
        { kind: "migration", to: "closed" },
      ],
      { state: "closed", resolution: "a" },
    ],
    // A review is of a report, and both are of the work as it was last begun.
    [[approve], {}],
    [[report], { reporters: ["hare"] }],
    [[report, approve, requestChanges], { reporters: ["hare"], review: "request_changes" }],
    [[report, approve, report], { reporters: ["hare"] }],
    [[{ ...report, author: "ada" }, report], { reporters: ["ada", "hare"] }],
    [[{ ...report, author: "ada" }, requestChanges, report], { reporters: ["hare"] }],
    [[report, approve, { kind: "review", status: "fine" }], { reporters: ["hare"], review: "approve" }],
    [[report, approve, to("queued")], { state: "queued", reporters: ["hare"], review: "approve" }],
    [[report, approve, to("done")], { state: "done", reporters: ["hare"], review: "approve" }],
    [[report, approve, to("inprogress")], { state: "inprogress" }],
    [[report, approve, to("planning")], { state: "planning" }],
    [[report, approve, { kind: "reopen" }], { state: "planning" }],
    [[report, approve, { kind: "migration", to: "done" }], { state: "done" }],
    [
      [
        { kind: "link", ...blocks },
        { kind: "link", ...blocks },
      ],
      { relations: [{ relation: "blocks", target: "B" }] },
    ],
    [
      [
        { kind: "link", ...blocks },
        { kind: "unlink", ...blocks },
      ],
      {},
    ],
    [
      [
        { kind: "unlink", ...blocks },
        { kind: "link", relation: "near", target: "B" },
        { kind: "link", relation: "blocks" },
      ],
      {},
    ],
    [
      [{ at: "2026-06-03T12:23:17Z" }, { at: "2026-06-03T12:23:16.999Z" }, { at: "soon" }],
      { lastAt: "2026-06-03T12:23:17Z" },
    ],
  ];
  for (const [some, expected] of rows) {
    const { state = null } = expected;
    const standing = state === null ? [] : [state];
    assert.deepEqual(
      foldThread(events(...some)),
      { ...nothing, standing, ...expected },
      JSON.stringify(some),
    );
  }
});

test("a ticket that two branches changed stands in both states, and is shown in the one nearest to planning", () => {
  const begun = { kind: "create", to: "queued" };
  const step = (from: string, state: string) => ({ kind: "state_changed", from, to: state });
  const [back, start] = [step("queued", "planning"), step("queued", "inprogress")];
  const settled = (state: string) => ({
    ...step("planning", state),
    other: { settles: "planning inprogress" },
  });
  const rows: readonly [readonly Partial<TicketEvent>[], readonly string[]][] = [
    [
      [back, start],
      ["planning", "inprogress"],
    ],
    [
      [start, back],
      ["planning", "inprogress"],
    ],
    [[start, start], ["inprogress"]],
    [
      [back, step("planning", "ready"), start],
      ["ready", "inprogress"],
    ],
    [
      [start, back, step("planning", "ready")],
      ["ready", "inprogress"],
    ],
    [
      [back, start, step("inprogress", "done")],
      ["planning", "done"],
    ],
    [
      [back, start, { kind: "close", from: "queued", to: "closed" }],
      ["planning", "inprogress", "closed"],
    ],
    [[back, start, settled("planning")], ["planning"]],
    [[back, start, settled("inprogress")], ["inprogress"]],
    [[back, start, settled("inprogress"), step("inprogress", "done")], ["done"]],
    // A third branch that nobody knew of when it was settled.
    [
      [back, start, step("queued", "ready"), settled("inprogress")],
      ["ready", "inprogress"],
    ],
    [[back, start, { kind: "migration", to: "ready" }], ["ready"]],
    [[start, { ...back, id: "@3" }], ["planning"]],
  ];
  for (const [some, standing] of rows) {
    const all = [begun, ...some].map((event, index) => ({ id: `${index}`, ...event }));
    const folded = foldThread(events(...all));
    assert.deepEqual([folded.standing, folded.state, folded.resolution], [standing, standing[0], null]);
  }
});
