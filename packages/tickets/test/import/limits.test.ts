/** How many tickets there may be once an old layout came in, at n and at n + 1. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTicketStore, ticketsMax } from "../../src/index.ts";
import { encodeTicketId } from "../../src/ticket-id.ts";
import { deskOf, hare, readTree, root } from "../doctor/tree.ts";
import { refusedWith } from "../store/memory-store.ts";
import { planted } from "./all-comes-in.ts";
import { oldRoot, plain } from "./old-tree.ts";

test(`an import that brings the tickets to ${ticketsMax} comes in, one that brings them further does not begin`, async () => {
  const { host } = await planted([plain("one"), plain("two")]);
  const desk = deskOf(host);
  let there: readonly string[] = [];
  const list = async (path: string) => {
    const found = await host.files.list(path);
    return path === root ? [...there, ...found] : found;
  };
  const store = createTicketStore({ ...desk, files: { ...host.files, list } });
  const names = Array.from({ length: ticketsMax - 1 }, (_, n) => encodeTicketId(n));
  there = names;
  const full = new RegExp(
    `There would be ${ticketsMax + 1} tickets in .*, and at most ${ticketsMax} are kept`,
  );
  await assert.rejects(store.importOld(oldRoot, hare), refusedWith("limit_exceeded", full));
  const paths = Object.keys(await readTree(host, root));
  assert.deepEqual(
    paths.filter((path) => !path.startsWith(".")),
    [],
  );
  there = names.slice(1);
  const { imported, refused } = await store.importOld(oldRoot, hare);
  assert.deepEqual([imported.length, refused], [2, []]);
});
