/** Threads as merges leave them: events woven into each other, torn, or there twice. */
import assert from "node:assert/strict";
import test from "node:test";
import { renderEvent } from "../src/render-event.ts";
import { parseThread } from "../src/thread.ts";
import type { TicketEvent } from "../src/ticket.ts";

const comment: TicketEvent = {
  id: "00001KT6Q08R9",
  kind: "comment",
  author: "hare",
  role: "user",
  at: "2026-06-03T12:23:17.001Z",
  body: "Two lines,\nno more.",
};

/** Header and heading, each line of the body, the end. */
function linesOf(event: TicketEvent): { head: string[]; body: string[]; end: string } {
  const lines = renderEvent(event).trimEnd().split("\n");
  return { head: lines.slice(0, 2), body: lines.slice(2, -1), end: lines.at(-1) ?? "" };
}

test("events whose lines a merge put between each other are read whole; what is nobody's is said, and is under no name", () => {
  const one = { ...comment, body: "a1\nsame\nsame\n\nsame\na2" };
  const two = { ...comment, id: "00001KT6Q08RA", author: "fox", body: "b1\nsame\nsame\n\nsame\nb2" };
  const [a, b] = [linesOf(one), linesOf(two)];
  const woven = (run: readonly string[]) =>
    [...a.head, ...a.body.slice(0, 2), ...b.head, ...b.body.slice(0, 2), ...run]
      .concat(a.body.slice(6), a.end, b.body.slice(6), b.end)
      .join("\n");
  const read = (text: string) => {
    const { events, problems } = parseThread(text);
    return {
      events: events.map(({ event, sum }) => [event.author, event.body, sum]),
      problems: problems.map(({ check, line }) => `${check} ${line}`),
    };
  };
  const run = a.body.slice(2, 6);
  const whole = [
    ["hare", one.body, "woven"],
    ["fox", two.body, "woven"],
  ];
  const said = ["event_woven 1", "event_woven 5"];
  assert.deepEqual(read(woven(run)), { events: whole, problems: said });
  assert.deepEqual(read(woven([...run, "x", ...run])), {
    events: whole,
    problems: [...said, "text_outside_event 13"],
  });
  // Of a torn event what stands in its own place, and of that what is its own.
  assert.deepEqual(read(woven(run).replace("\na2", "")), {
    events: [
      ["hare", "a1", "changed"],
      ["fox", two.body, "woven"],
    ],
    problems: ["event_woven 5"],
  });
  assert.deepEqual(read(woven(run).replace("\na2", "\nforged")), {
    events: [
      ["hare", "a1", "changed"],
      ["fox", two.body, "woven"],
    ],
    problems: ["event_woven 5", "text_outside_event 13"],
  });
});

test("a body that begins like its own heading keeps that line where its lines are put together", () => {
  const { head, body, end } = linesOf({ ...comment, body: `${linesOf(comment).head[1]}\nx` });
  const { events } = parseThread([...head, "between", ...body, end].join("\n"));
  assert.deepEqual(
    events.map(({ event, sum }) => [event.body, sum]),
    [[`${head[1]}\nx`, "woven"]],
  );
});

test("the same event twice is read once, whichever copy is whole", () => {
  const { head, body, end } = linesOf(comment);
  const whole = [...head, ...body, end];
  const other = renderEvent({
    ...comment,
    id: "00001KT6Q08RA",
    kind: "state_changed",
    to: "ready",
    body: "",
  });
  for (const copies of [
    [whole, whole],
    [head, whole],
    [whole, head],
    [whole, [...head, ...body]],
    [whole, [...body, end]],
    [whole, [end]],
  ]) {
    const text = [copies[0]?.join("\n"), other, copies[1]?.join("\n"), ""].join("\n");
    const { events, problems } = parseThread(text);
    assert.deepEqual(
      events.map(({ event, sum }) => [event.id, event.body, sum]),
      [
        [comment.id, comment.body, "good"],
        ["00001KT6Q08RA", "", "good"],
      ],
      text,
    );
    assert.ok(
      problems.every(({ check }) => check === "event_repeated"),
      text,
    );
  }
});
