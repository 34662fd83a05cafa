/** Whatever stands in item.md and thread.md, reading it gives a value: no throw, no hang, nothing outside that value touched. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { YoiError } from "@yoi/base";
import { editItem } from "../../packages/tickets/src/edit-item.ts";
import { newItem, parseItem } from "../../packages/tickets/src/item.ts";
import { withEvent } from "../../packages/tickets/src/render-event.ts";
import { parseThread } from "../../packages/tickets/src/thread.ts";
import type { TicketEvent } from "../../packages/tickets/src/ticket.ts";
import type { Proof } from "../support/proof.ts";

/** Texts of one case: starting a generator costs more than a text. */
const textsPerCase = 100;
/** Of one text of a few kilobytes; what hangs takes longer by far. */
const readMsMax = 3_000;

const at = "2026-06-03T12:23:17.001Z";
const item = newItem({
  title: "Read: it",
  state: "planning",
  createdAt: at,
  body: "# Background\n\nText.",
  fields: { labels: ["a", "b c"], legacy: { id: "x", kind: null } },
});
const event: TicketEvent = {
  id: "00001KT6Q08R9",
  kind: "comment",
  author: "hare",
  role: "user",
  at,
  body: "One.\n\nTwo.",
};
const thread = [event, { ...event, id: "00001KT6Q08RA", reason: "a b" }].reduce(withEvent, "");

const pieces = fc.constantFrom(
  ..."[]{}:-?!&*|>'\"%@`#,~\\ \n\t\r\0".split(""),
  "---\n",
  "...\n",
  "title: ",
  "state: ",
  "__proto__: ",
  "constructor: ",
  "&a ",
  "*a ",
  "? ",
  "- ",
  "<<: *a\n",
  "!!binary x",
  "\ufeff",
  "\u2028",
  "\ud800",
  "\u0085",
  "<!-- event: ",
  "<!-- end: ",
  " -->",
  "\n",
  "id: ",
  "sum: ",
  "author: ",
  '"',
  '\\"',
  "00001KT6Q08R9",
  "## Comment",
  "<!--event",
);
const noise = fc.oneof(
  { weight: 3, arbitrary: fc.array(pieces, { maxLength: 40 }).map((some) => some.join("")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.tuple(pieces, fc.nat(3_000)).map(([piece, count]) => piece.repeat(count)) },
);

/** A text that is one of ours with parts cut out, doubled and replaced, or no such text at all. */
function damaged(text: string): fc.Arbitrary<string> {
  const cut = fc.tuple(fc.nat(text.length), fc.nat(30), noise, fc.boolean());
  const mutated = fc.array(cut, { minLength: 1, maxLength: 4 }).map((cuts) => {
    let result = text;
    for (const [start, length, between, isDoubled] of cuts) {
      const part = isDoubled ? result.slice(start, start + length) : "";
      result = result.slice(0, start) + between + part + part + result.slice(start + length);
    }
    return result;
  });
  return fc.oneof(
    mutated,
    noise,
    noise.map((yaml) => `---\n${yaml}\n---\n`),
  );
}

function proof(name: string, texts: fc.Arbitrary<string>, read: (text: string) => void): Proof {
  return {
    name,
    // 500 of 100,000 texts.
    cases: { test: 5, prove: 1_000 },
    check(index) {
      const before = Reflect.ownKeys(Object.prototype);
      for (const text of fc.sample(texts, { seed: index, numRuns: textsPerCase })) {
        const start = performance.now();
        read(text);
        assert.ok(performance.now() - start < readMsMax, `took too long: ${JSON.stringify(text)}`);
      }
      assert.deepEqual(Reflect.ownKeys(Object.prototype), before);
      return Promise.resolve();
    },
  };
}

/** Null: refused, as what the YAML library reads and does not write. */
function edit(text: string): string | null {
  try {
    return editItem(text, { state: "done", updated_at: at });
  } catch (error) {
    if (error instanceof YoiError && error.code === "ticket_damaged") return null;
    throw error;
  }
}

export const items = proof("any item.md is read", damaged(item), (text) => {
  const parsed = parseItem(text);
  assert.equal(Object.getPrototypeOf(parsed.fields), Object.prototype);
  assert.doesNotThrow(() => JSON.stringify(parsed));
  const isReadable = parsed.problems.every((problem) => problem.check !== "front_matter");
  if (!isReadable) return;
  const changed = edit(text);
  if (changed === null) return;
  const edited = parseItem(changed);
  const { title, created_at, fields, body } = parsed;
  assert.deepEqual(
    { ...edited, problems: [] },
    { title, created_at, fields, body, state: "done", updated_at: at, problems: [] },
    text,
  );
});

export const threads = proof("any thread.md is read", damaged(thread), (text) => {
  const parsed = parseThread(text);
  const lines = text.split("\n").length;
  for (const { line } of [...parsed.events, ...parsed.problems]) assert.ok(line >= 1 && line <= lines);
  // What is written behind it is read as it was written.
  const added = { ...event, id: "00001KT6Q08RZ", body: "More.\n<!-- event: x -->" };
  const last = parseThread(withEvent(text, added)).events.at(-1);
  assert.deepEqual([last?.event, last?.sum], [added, "good"], text);
});
