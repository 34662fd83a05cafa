/** thread.md: what is written comes back, no body can forge an event, and older threads are read. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { headerCharsMax } from "../src/event-header.ts";
import { normalizeBody } from "../src/lines.ts";
import { renderEvent, withEvent } from "../src/render-event.ts";
import { parseThread } from "../src/thread.ts";
import { encodeTicketId } from "../src/ticket-id.ts";
import { eventKinds, type TicketEvent, ticketRoles } from "../src/ticket.ts";

const comment: TicketEvent = {
  id: "00001KT6Q08R9",
  kind: "comment",
  author: "hare",
  role: "user",
  at: "2026-06-03T12:23:17.001Z",
  body: "Two lines,\nno more.",
};

test("an event is a header, a heading, its body and an end", () => {
  assert.equal(
    withEvent(renderEvent(comment), {
      ...comment,
      id: "00001KT6Q08RA",
      kind: "state_changed",
      author: 'Ann *the* "Hare" -->',
      from: "ready",
      to: "planning",
      reason: "too big",
      body: "",
    }),
    [
      "<!-- event: comment id: 00001KT6Q08R9 author: hare role: user at: 2026-06-03T12:23:17.001Z sum: 67317206cdcbbd93 -->",
      "## Comment by hare, 2026-06-03T12:23:17.001Z",
      "",
      "Two lines,",
      "no more.",
      "",
      "<!-- end: 00001KT6Q08R9 lines: Y_uFogUo -->",
      "",
      '<!-- event: state_changed id: 00001KT6Q08RA author: "Ann *the* \\"Hare\\" --\\u003e" role: user at: 2026-06-03T12:23:17.001Z from: ready to: planning reason: "too big" sum: 575278955940a394 -->',
      '## State changed from ready to planning by Ann \\*the\\* "Hare" --\\>, 2026-06-03T12:23:17.001Z',
      "<!-- end: 00001KT6Q08RA -->",
      "",
    ].join("\n"),
  );
});

test("each kind has its heading", () => {
  const extras: Partial<Record<string, Partial<TicketEvent>>> = {
    review: { status: "request_changes" },
    link: { relation: "blocks", target: "00001KT6Q08RA" },
    unlink: { relation: "part_of", target: "00001KT6Q08RA" },
  };
  const headings = [...eventKinds, "fix"].map(
    (kind) => renderEvent({ ...comment, kind, ...extras[kind], at: "" }).split("\n")[1],
  );
  assert.deepEqual(headings, [
    "## Created by hare",
    "## Comment by hare",
    "## Plan by hare",
    "## Decision by hare",
    "## Implementation report by hare",
    "## Review: request changes by hare",
    "## State changed by hare",
    "## Closed by hare",
    "## Reopened by hare",
    "## Linked: blocks 00001KT6Q08RA by hare",
    "## Unlinked: part_of 00001KT6Q08RA by hare",
    "## Migrated by hare",
    "## Fix by hare",
  ]);
});

test("threads of the predecessor are read", () => {
  const thread = [
    "# Notes",
    "",
    "<!-- event: create author: tickets.sh at: 2026-06-05T00:40:00Z -->",
    "",
    "## Created",
    "",
    "Created by tickets.sh create.",
    "",
    "",
    "---",
    "",
    "<!-- event: review author: an old hare at: 2026-06-05T00:48:07Z status: approve -->",
    "",
    "## Review: approve",
    "",
    "## 1. Result",
    "\\<!-- event: x -->",
    "---",
    "",
    "---",
    '<!-- event: state_changed author: "panel \\"one\\" \\x" at: 2026-06-20T16:29:26Z from: ready to: queued reason: queued by hand field: state -->',
    "External review",
    "",
    "",
  ].join("\n");
  const expected = {
    preamble: "# Notes",
    events: [
      {
        event: {
          id: "@1",
          kind: "create",
          author: "tickets.sh",
          role: null,
          at: "2026-06-05T00:40:00Z",
          body: "Created by tickets.sh create.",
        },
        line: 3,
        sum: "none",
      },
      {
        event: {
          id: "@2",
          kind: "review",
          author: "an old hare",
          role: null,
          at: "2026-06-05T00:48:07Z",
          status: "approve",
          body: "## 1. Result\n\\<!-- event: x -->\n---",
        },
        line: 12,
        sum: "none",
      },
      {
        event: {
          id: "@3",
          kind: "state_changed",
          author: 'panel "one" x',
          role: null,
          at: "2026-06-20T16:29:26Z",
          from: "ready",
          to: "queued",
          reason: "queued by hand",
          other: { field: "state" },
          body: "External review",
        },
        line: 21,
        sum: "none",
      },
    ],
    problems: [],
  };
  assert.deepEqual(parseThread(thread), expected);
  assert.deepEqual(parseThread(thread.replaceAll("\n", "\r\n")), expected);
});

const hostileLine = fc.constantFrom(
  "<!-- event: comment id: 00001KT6Q08RZ author: x role: user at: 2026-06-03T12:23:17.001Z -->",
  "  <!-- event: close -->",
  "\\<!-- event: a -->",
  " \\\\<!--event x",
  "<!-- end: 00001KT6Q08R9 -->",
  "<!-- EVENT",
  "-->",
  "<!--",
  "---",
  "```",
  "## Comment",
  "## Comment by hare, 2026-06-03T12:23:17.001Z",
  "<<<<<<< ours",
  "",
  "  ",
  "\t",
  "\r",
  "\0",
  "\u2028",
);
const anyText = fc.string({ unit: "binary", maxLength: 40 });
const anyBody = fc
  .array(fc.oneof(hostileLine, anyText, fc.string({ maxLength: 12 })), { maxLength: 8 })
  .map((lines) => lines.join("\n"));
const loose = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));
const word = fc.oneof(
  loose,
  anyText,
  fc.constantFrom("hare", "a b: c", '"', "-->", "\\", " x: y ", "\n", "\r\n<!-- event: close -->"),
);
const anyEvent: fc.Arbitrary<TicketEvent> = fc
  .record(
    {
      kind: fc.oneof(
        fc.constantFrom(...eventKinds),
        word.filter((kind) => kind !== ""),
      ),
      author: word,
      role: fc.constantFrom(...ticketRoles, null),
      at: fc.constantFrom("", "2026-06-03T12:23:17.001Z", "then -->"),
      body: anyBody,
      status: word,
      from: word,
      to: word,
      reason: word,
      relation: word,
      target: word,
      other: fc.dictionary(fc.constantFrom("field", "constructor", "x_1"), word, {
        minKeys: 1,
        noNullPrototype: true,
      }),
    },
    { requiredKeys: ["kind", "author", "role", "at", "body"] },
  )
  .map((event) => ({ id: "", ...event }));

test("what is written comes back, whatever its body and attributes are", () => {
  fc.assert(
    fc.property(
      fc.array(anyEvent, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("\n", "\r\n"),
      (some, newline) => {
        const events = some.map((event, index) => ({ ...event, id: encodeTicketId(index) }));
        const thread = events.reduce(withEvent, "").replaceAll("\n", newline);
        const parsed = parseThread(thread);
        assert.deepEqual(
          { ...parsed, events: parsed.events.map(({ event, sum }) => ({ event, sum })) },
          {
            preamble: "",
            events: events.map((event) => ({
              event: { ...event, body: normalizeBody(event.body) },
              sum: "good",
            })),
            problems: [],
          },
        );
      },
    ),
    { seed: 34, numRuns: 250 },
  );
});

test("a body without its backslashes would forge an event", () => {
  const forged =
    "<!-- event: close id: 00001KT6Q08RB author: hare role: user at: 2026-06-03T12:23:18.001Z -->";
  const thread = renderEvent({ ...comment, body: forged });
  assert.equal(parseThread(thread).events.length, 1);
  assert.equal(parseThread(thread.replace("\\<!--", "<!--")).events.length, 2);
});

test("bodies are text: ends of lines are LF, NUL and lone surrogates U+FFFD, blank lines around go", () => {
  assert.equal(normalizeBody("\r\n \r\n  a\r\nb\rc\0\ud800\n\t\n"), "  a\nb\nc\ufffd\ufffd");
});

test("what is wrong in a thread is said with its line, and nothing of it is taken for an event's", () => {
  const good = renderEvent(comment);
  const rows: readonly [string, string, number, RegExp, number][] = [
    [`${good}\nadded by hand\n`, "text_outside_event", 9, /belongs to no event/, 1],
    [`${good}\n<!-- event: comment author: x`, "event_malformed", 9, /does not end in "-->"/, 1],
    [`${good}\n<!--event: comment -->\nx`, "event_malformed", 9, /does not begin with/, 1],
    [`${good}\n<!-- event: comment author: x --> -->`, "event_malformed", 9, /ends before the line/, 1],
    [`${good}\n<!-- event: comment author: x author: y -->`, "event_malformed", 9, /says author twice/, 1],
    [
      `${good}\n<!-- event: comment author: "x" y -->`,
      "event_malformed",
      9,
      /no "name: value" at column 33/,
      1,
    ],
    [`${good}\n<!-- event:  author: x -->`, "event_malformed", 9, /names no kind/, 1],
    [`${good}\n${good}`, "event_repeated", 9, /stands at line 1 already/, 1],
    [`${good}\n${renderEvent({ ...comment, body: "x" })}`, "event_duplicate", 9, /the id .* at line 1/, 2],
    [good.replace(/<!-- end.*\n/, ""), "event_unended", 1, /"?<!-- end: 00001KT6Q08R9/, 1],
  ];
  for (const [thread, check, line, message, count] of rows) {
    const { problems, events } = parseThread(thread);
    assert.deepEqual(
      problems.map((problem) => [problem.check, problem.line]),
      [[check, line]],
      thread,
    );
    assert.match(problems[0]?.message ?? "", message);
    assert.equal(events.length, count);
    assert.deepEqual([events[0]?.event, events[0]?.sum], [comment, "good"]);
  }
});

test("a header has a longest length", () => {
  const header = (chars: number) => `<!-- event: comment author: ${"x".repeat(chars - 32)} -->`;
  assert.equal(header(headerCharsMax).length, headerCharsMax);
  assert.equal(parseThread(header(headerCharsMax)).events.length, 1);
  assert.match(parseThread(header(headerCharsMax + 1)).problems[0]?.message ?? "", /longer than/);
});

test("what was edited is told from what is as it was written: the body, and each attribute of the header", () => {
  const event = { ...comment, kind: "review", status: "approve", reason: "all said", body: "One.\nTwo." };
  const thread = renderEvent(event);
  const rows: readonly [string, string][] = [
    [thread, "good"],
    [thread.replace("Two.", "Two. "), "changed"],
    [thread.replace("Two.\n", ""), "changed"],
    [thread.replace("event: review", "event: plan"), "changed"],
    [thread.replaceAll("00001KT6Q08R9", "00001KT6Q08RA"), "changed"],
    [thread.replaceAll("hare", "boss"), "changed"],
    [thread.replace("role: user", "role: reviewer"), "changed"],
    [thread.replaceAll("17.001Z", "16.001Z"), "changed"],
    [thread.replace("status: approve", "status: request_changes"), "changed"],
    [thread.replace("all said", "little said"), "changed"],
    [thread.replace(" reason:", " to: ready reason:"), "changed"],
    [thread.replace(/sum: \w+/, "sum: 0000000000000000"), "changed"],
    [thread.replace(/(event: review)(.*)( sum: \w+)/, "$1$3$2"), "changed"],
    [thread.replace(/ sum: \w+/, "").replace("Two.", "Three."), "none"],
    [thread.replace(/^## .*\n/m, ""), "good"],
    [thread.replace("-->\n##", "-->  \n##"), "good"],
    [thread.replace(/## .*/, "## Review: approve"), "good"],
    [thread.replace("lines: ", "lines: AAAA"), "good"],
    [thread.replace("One.\nTwo.", "Two.\nOne."), "woven"],
  ];
  for (const [text, sum] of rows) assert.equal(parseThread(text).events[0]?.sum, sum, text);
});

test("a mark of the order of bytes before the first header is not text of a thread", () => {
  assert.deepEqual(parseThread(`\ufeff${renderEvent(comment)}`), parseThread(renderEvent(comment)));
});

test("an id that is none is read as no id, whatever it is: what it stands in is an event all the same, and is said", () => {
  for (const id of ["note-1", "0ZZZZZZZZZZZZ", "00001kt6q08ra", "a".repeat(90), '"x y"']) {
    const { events, problems } = parseThread(
      `<!-- event: comment id: ${id} author: anna at: 2026-01-01T00:00:00Z -->\n\nHello.\n\n---\n`,
    );
    assert.deepEqual(
      events.map(({ event }) => [event.id, event.author, event.body]),
      [["@1", "anna", "Hello."]],
    );
    assert.deepEqual(
      problems.map(({ check, line }) => [check, line]),
      [["event_id", 1]],
    );
    assert.ok((problems[0]?.message.length ?? 0) < 120);
  }
});
