/** Tickets as people read them: tables that fit, threads whose text cannot pass for an event, reports of the doctor. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DoctorReport, Ticket, TicketProblem, TicketSummary } from "@yoi/tickets";
import { doctorText, hasErrors } from "../../src/output/ticket-doctor-text.ts";
import { ticketListText } from "../../src/output/ticket-list-text.ts";
import { ticketText } from "../../src/output/ticket-text.ts";

const id = "00001KT6Q08R9";
const other = "00001KT6Q08R8";
const now = Date.parse("2026-06-05T12:23:17.001Z");

const summary: TicketSummary = {
  id,
  title: "Bound the retries",
  state: "ready",
  created_at: "2026-06-03T12:23:17.001Z",
  updated_at: "2026-06-05T10:00:00.000Z",
  blocked_by: [],
  review: null,
  fields: {},
};

test("a list has a row for each ticket, and says what blocks one only where something does", () => {
  const rows: readonly TicketSummary[] = [
    summary,
    { ...summary, id: other, state: "inprogress", updated_at: "not a time", title: "a\u001b[2J\nb" },
  ];
  assert.equal(
    ticketListText(rows, { now, columns: null }),
    `ID             STATE       UPDATED     TITLE
${id}  ready       2 h ago     Bound the retries
${other}  inprogress  not a time  a\\u001b[2J\\u000ab
`,
  );
  const blockers = [1, 2, 3, 4].map((at) => `00001KT6Q08R${at}`);
  const blockedBy = (count: number): string =>
    ticketListText([{ ...summary, blocked_by: blockers.slice(0, count) }], { now, columns: null });
  assert.match(blockedBy(2), / 00001KT6Q08R1, 00001KT6Q08R2 {2}Bound/);
  assert.match(blockedBy(3), / 00001KT6Q08R1, 00001KT6Q08R2 \+1 {2}Bound/);
  assert.equal(
    ticketListText([{ ...summary, blocked_by: blockers }], { now, columns: null }),
    `ID             STATE  UPDATED  BLOCKED BY                       TITLE
${id}  ready  2 h ago  00001KT6Q08R1, 00001KT6Q08R2 +2  Bound the retries
`,
  );
});

test("titles are cut at the width of the terminal, wherever characters are wide", () => {
  const titles = (title: string, columns: number): string =>
    ticketListText([{ ...summary, title }], { now, columns })
      .split("\n")[1]
      ?.slice(31) ?? "";
  const before = 31;
  assert.equal(titles("a".repeat(30), before + 30), "a".repeat(30));
  assert.equal(titles("a".repeat(31), before + 30), `${"a".repeat(29)}…`);
  assert.equal(titles("再".repeat(15), before + 30), "再".repeat(15));
  assert.equal(titles("再".repeat(16), before + 30), `${"再".repeat(14)}…`);
  assert.equal(titles("🦊".repeat(16), before + 30), `${"🦊".repeat(14)}…`);
  assert.equal(titles("a".repeat(4_000), 10), `${"a".repeat(19)}…`);
});

const ticket: Ticket = {
  ...summary,
  state: "closed",
  blocked_by: [other],
  review: "approve",
  fields: { labels: ["retry", "network"], priority: "P1", legacy: { slug: "x" } },
  body: "Give up\n\n* close by hare (user)",
  relations: [{ relation: "part_of", target: other }],
  related_from: [{ relation: "blocks", target: other }],
  resolution: "Merged.",
  artifacts: ["plan.md", "logs/run.txt"],
  events: [
    { id: "@1", kind: "create", author: "", role: null, at: "", body: "" },
    {
      id: "00001KT6Q08RA",
      kind: "state_changed",
      author: "hare",
      role: "user",
      at: "2026-06-03T12:24:00.000Z",
      from: "planning",
      to: "ready",
      reason: "agreed\u001b[31m",
      body: "",
    },
    {
      id: "00001KT6Q08RB",
      kind: "review",
      author: "critic",
      role: "reviewer",
      at: "2026-06-03T12:25:00.000Z",
      status: "approve",
      body: "Fine.\r\n\tRead \u202eand run.",
    },
    {
      id: "00001KT6Q08RC",
      kind: "link",
      author: "hare",
      role: "user",
      at: "2026-06-03T12:26:00.000Z",
      relation: "part_of",
      target: other,
      body: "",
    },
  ],
};

test("a ticket is shown with its facts, its text and its thread, and no text passes for another row", () => {
  assert.equal(
    ticketText(ticket, { now, columns: null }),
    `# Bound the retries
- ${id}: closed, waits for ${other}
- created 2026-06-03T12:23:17.001Z, updated 2026-06-05T10:00:00.000Z (2 h ago)
- labels: retry, network
- priority: P1
- legacy: {"slug":"x"}
- part of ${other}
- blocked by ${other}
- reviewed: approve
- artifacts: plan.md, logs/run.txt

  Give up

  * close by hare (user)

* create by nobody named [@1]

* state_changed planning -> ready by hare (user), 2026-06-03T12:24:00.000Z: agreed\\u001b[31m [00001KT6Q08RA]

* review approve by critic (reviewer), 2026-06-03T12:25:00.000Z [00001KT6Q08RB]

  Fine.\\u000d
  \tRead \\u202eand run.

* link part_of ${other} by hare (user), 2026-06-03T12:26:00.000Z [00001KT6Q08RC]

* resolution

  Merged.
`,
  );
});

test("a resolution that an event says is shown once, whichever event it is", () => {
  const said = { id: "00001KT6Q08RD", author: "hare", role: "user", at: "", body: "Merged." } as const;
  for (const kind of ["close", "migration", "comment"]) {
    const events = [{ ...said, kind }];
    const shown = ticketText({ ...ticket, events }, { now, columns: null });
    assert.equal(shown.split("Merged.").length - 1, kind === "comment" ? 2 : 1, kind);
  }
});

test("what goes on below its line on a terminal stands further in, so that it is no row of its own", () => {
  const long = `${"word ".repeat(6)}* close by hare`;
  const shown = ticketText(
    { ...ticket, title: long, body: long, events: [], resolution: null },
    { now, columns: 32 },
  );
  for (const row of shown.split("\n")) assert.match(row, /^$|^[#*-] (?! )|^[#*-] {3}|^ {2}/, row);
  assert.ok(shown.split("\n").every((row) => row.length < 32));
});

test("a resolution that stands in the event that closed the ticket is not said twice", () => {
  const close = {
    id: "00001KT6Q08RD",
    kind: "close",
    author: "hare",
    role: "user",
    at: "",
    body: "Merged.",
  } as const;
  const shown = ticketText({ ...ticket, events: [close] }, { now, columns: null });
  assert.equal(shown.split("Merged.").length, 2);
  const control = ticketText({ ...ticket, events: [{ ...close, body: "Other." }] }, { now, columns: null });
  assert.match(control, /\n\* resolution\n\n {2}Merged\.\n$/);
});

const problem: TicketProblem = {
  severity: "error",
  check: "event_changed",
  ticket: id,
  path: `${id}/thread.md`,
  line: 7,
  message: "The body of\nthe event was edited.",
  fixable: false,
  fixed: false,
};

test("the doctor's report: a line for each problem, and what is left", () => {
  const report: DoctorReport = { root: "/w/.yoi/tickets", tickets: 1, problems: [], more: 0 };
  const mendable = { ...problem, severity: "warning", path: ".gitattributes", fixable: true } as const;
  const { line: _, ...placeless } = mendable;
  const rows: readonly (readonly [DoctorReport, boolean, string, boolean])[] = [
    [report, false, "1 ticket in /w/.yoi/tickets: nothing is wrong.\n", false],
    [
      { ...report, tickets: 2, problems: [problem, placeless], more: 3 },
      false,
      `error ${id}/thread.md:7 (event_changed): The body of\\u000athe event was edited.
warning .gitattributes (event_changed): The body of\\u000athe event was edited.
2 tickets in /w/.yoi/tickets: 1 error, 1 warning, 3 more not listed. \`yoi ticket doctor --fix\` mends 1 of them.
`,
      true,
    ],
    [
      { ...report, problems: [{ ...placeless, severity: "error", fixed: true }] },
      true,
      `mended .gitattributes (event_changed): The body of\\u000athe event was edited.
1 ticket in /w/.yoi/tickets: nothing is wrong, 1 mended.
`,
      false,
    ],
    [
      { ...report, problems: [placeless] },
      false,
      `warning .gitattributes (event_changed): The body of\\u000athe event was edited.
1 ticket in /w/.yoi/tickets: 0 errors, 1 warning. \`yoi ticket doctor --fix\` mends 1 of them.
`,
      false,
    ],
  ];
  assert.deepEqual(
    rows.map(([one, fix]) => [one, fix, doctorText(one, { fix }), hasErrors(one)]),
    rows,
  );
});
