/** An id of a ticket as a person types it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { ticketNamed } from "../../src/tickets/ticket-named.ts";

const ids = ["00001KT6Q08R8", "00001KT6Q08R9", "00001KT7AAAA8", ".lock", "notes"];

async function named(given: string, names: readonly string[] = ids): Promise<unknown> {
  try {
    return await ticketNamed(given, { files: { list: async () => names }, root: "/w/.yoi/tickets" });
  } catch (error) {
    assert.ok(error instanceof YoiError);
    return [error.code, error.message];
  }
}

const noId = (given: string) => [
  "usage",
  `${JSON.stringify(given)} is no id of a ticket: it has 13 letters and digits, as \`yoi ticket list\` shows them; its beginning or its end will do, from 4 characters on.`,
];

test("an id is taken whole, in lower case, and by a beginning or an end that only it has", async () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["00001KT6Q08R9", "00001KT6Q08R9"],
    ["00001kt6q08r9", "00001KT6Q08R9"],
    // Whether it is there, the store says.
    ["00001KT6Q08RA", "00001KT6Q08RA"],
    ["08R9", "00001KT6Q08R9"],
    ["q08r8", "00001KT6Q08R8"],
    ["00001KT7", "00001KT7AAAA8"],
    ["8R9", noId("8R9")],
    ["", noId("")],
    ["../../etc/passwd", noId("../../etc/passwd")],
    ["00001KT6Q08R9X", noId("00001KT6Q08R9X")],
    ["\u001b[2Jabc", noId("\u001b[2Jabc")],
    ["notes", ["ticket_unknown", unknown("notes")]],
    ["ZZZZ", ["ticket_unknown", unknown("ZZZZ")]],
    ["00001KT6", ["usage", '"00001KT6" may mean 00001KT6Q08R8, 00001KT6Q08R9: give more of the id.']],
  ];
  const got = await Promise.all(rows.map(([given]) => named(given)));
  assert.deepEqual(
    rows.map(([given], at) => [given, got[at]]),
    rows,
  );
});

function unknown(given: string): string {
  return `There is no ticket whose id begins or ends with "${given}" in /w/.yoi/tickets: \`yoi ticket list --state all\` shows all of them.`;
}

test("of many that an id may mean the first ten are named, and how many more there are", async () => {
  const many = Array.from({ length: 11 }, (_, at) => `00001KT6Q08${String(at).padStart(2, "0")}`);
  assert.deepEqual(await named("0000", many.slice(0, 10)), [
    "usage",
    `"0000" may mean ${many.slice(0, 10).join(", ")}: give more of the id.`,
  ]);
  assert.deepEqual(await named("0000", many), [
    "usage",
    `"0000" may mean ${many.slice(0, 10).join(", ")} and 1 more: give more of the id.`,
  ]);
});
