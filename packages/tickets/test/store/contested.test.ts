/** A ticket whose state two branches changed: nothing goes on before a person says which holds. */
import assert from "node:assert/strict";
import test from "node:test";
import { parseItem } from "../../src/item.ts";
import {
  type MemoryStore,
  memoryStore,
  orchestrator,
  refusedWith,
  root,
  textAt,
  ticketIn,
  user,
  wholeRoot,
} from "./memory-store.ts";

/** Of a queued ticket that was taken back on one branch and begun on the other, as git's union driver merges them. */
async function contested(desk: MemoryStore): Promise<string> {
  const { host, store } = desk;
  const id = await ticketIn("queued", store);
  const path = `${root}/${id}/thread.md`;
  const write = (text: string) => host.files.replace(path, Buffer.from(text));
  const base = (await textAt(desk, `${id}/thread.md`)) ?? "";
  await store.transition(id, { to: "planning", reason: "not agreed" }, user);
  const back = (await textAt(desk, `${id}/thread.md`)) ?? "";
  await write(base);
  await host.advance(1_000);
  await store.transition(id, { to: "inprogress" }, orchestrator);
  const start = (await textAt(desk, `${id}/thread.md`)) ?? "";
  await write(back + start.slice(base.length));
  return id;
}

test("it is shown in the state nearest to planning, and item.md keeps what a person left in it", async () => {
  const desk = memoryStore();
  const id = await contested(desk);
  assert.equal((await desk.store.show(id)).state, "planning");
  await desk.store.add(id, { kind: "comment", body: "Which?" }, orchestrator);
  assert.equal(parseItem((await textAt(desk, `${id}/item.md`)) ?? "").state, "inprogress");
  const { problems } = await desk.store.doctor({ fix: true });
  assert.deepEqual(
    problems.map(({ check }) => check),
    ["state_contested"],
  );
});

test("only a person settles it, with a reason, at a state in which it stands", async () => {
  const desk = memoryStore();
  const { store } = desk;
  const id = await contested(desk);
  const before = await wholeRoot(desk);
  const rows: readonly [() => Promise<unknown>, string, RegExp][] = [
    [
      () => store.transition(id, { to: "inprogress", reason: "x" }, orchestrator),
      "ticket_refused",
      /stands in planning and inprogress at once, .*a person says which holds/,
    ],
    [
      () => store.transition(id, { to: "ready" }, user),
      "ticket_refused",
      /say which holds first \(yoi ticket/,
    ],
    [() => store.close(id, "No.", user), "ticket_refused", /say which holds first/],
    [() => store.transition(id, { to: "planning" }, user), "usage", /only with a reason/],
  ];
  for (const [ask, code, message] of rows) await assert.rejects(ask, refusedWith(code, message));
  assert.deepEqual(await wholeRoot(desk), before);
  const { from, to, reason, other } = await store.transition(
    id,
    { to: "inprogress", reason: "It was agreed after all." },
    user,
  );
  assert.deepEqual(
    { from, to, reason, other },
    {
      from: "planning",
      to: "inprogress",
      reason: "It was agreed after all.",
      other: { settles: "planning inprogress" },
    },
  );
  assert.equal((await store.show(id)).state, "inprogress");
  assert.deepEqual((await store.doctor({ fix: false })).problems, []);
  await store.transition(id, { to: "done" }, user);
});

test("it is settled at the state that it is shown in, too", async () => {
  const desk = memoryStore();
  const id = await contested(desk);
  await desk.store.transition(id, { to: "planning", reason: "Not yet." }, user);
  assert.equal(parseItem((await textAt(desk, `${id}/item.md`)) ?? "").state, "planning");
  assert.deepEqual((await desk.store.doctor({ fix: false })).problems, []);
});
