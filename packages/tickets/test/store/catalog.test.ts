/** What is remembered of tickets between two looks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore, root, textAt, ticketIn } from "./memory-store.ts";

test("a title that a person changes into one as long is seen", async () => {
  const place = memoryStore();
  const { store, host } = place;
  const id = await ticketIn("planning", store, "Written here");
  const titles = async () => (await store.list()).tickets.map(({ title }) => title);
  assert.deepEqual(await titles(), ["Written here"]);
  const text = (await textAt(place, `${id}/item.md`)) ?? "";
  const edited = text.replace("Written here", "Written anew");
  assert.equal(edited.length, text.length);
  await host.files.replace(`${root}/${id}/item.md`, Buffer.from(edited));
  assert.deepEqual(await titles(), ["Written anew"]);
});
