/** What an event says is read back as it was said, whatever lines of its own making stand in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withEvent } from "../src/render-event.ts";
import { parseThread } from "../src/thread.ts";
import type { TicketEvent } from "../src/ticket.ts";

test("the lines with which an event begins and ends are text in a body", () => {
  const id = "00001KT6Q08R9";
  const said = (body: string): TicketEvent => ({
    id,
    kind: "comment",
    author: "hare",
    role: "user",
    at: "2026-06-03T12:23:17.001Z",
    body,
  });
  const own = withEvent("", said("One."))
    .split("\n")
    .filter((line) => line !== "");
  for (const line of [...own, `<!-- end: ${id} -->`, `\\<!-- end: ${id} -->`, ` <!-- end: ${id} -->`]) {
    const events = [said(`before\n${line}\nafter`), { ...said("Two."), id: "00001KT6Q08RA" }];
    const { events: read, preamble, problems } = parseThread(events.reduce(withEvent, ""));
    assert.deepEqual(
      [read.map(({ event, sum }) => [event, sum]), preamble, problems],
      [events.map((event) => [event, "good"]), "", []],
      line,
    );
  }
});
