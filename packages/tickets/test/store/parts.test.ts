/** A whole and its parts: what waits for them, and for whom. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor } from "../../src/index.ts";
import { intake, memoryStore, orchestrator, refusedWith, ticketIn, user } from "./memory-store.ts";

test("a whole is not done before its parts are done or closed, whoever says so", async () => {
  const { store } = memoryStore();
  const whole = await ticketIn("inprogress", store);
  const [one, other] = [await ticketIn("inprogress", store), await ticketIn("planning", store)];
  for (const id of [one, other]) await store.link(id, { relation: "part_of", target: whole }, intake);
  const done = () => store.transition(whole, { to: "done" }, user);
  await assert.rejects(done(), refusedWith("ticket_refused", new RegExp(`closed \\(${one}, ${other}\\)`)));
  await store.transition(one, { to: "done" }, user);
  await assert.rejects(done(), refusedWith("ticket_refused", new RegExp(`closed \\(${other}\\)`)));
  await store.close(other, "Not needed.", user);
  await done();
});

test("a whole is taken by a Pod only when its parts are done or closed; a person takes it all the same", async () => {
  const { store } = memoryStore();
  const whole = await ticketIn("queued", store);
  const part = await ticketIn("planning", store);
  await store.link(part, { relation: "part_of", target: whole }, intake);
  const take = (actor: Actor) => store.transition(whole, { to: "inprogress" }, actor);
  await assert.rejects(
    take(orchestrator),
    refusedWith("ticket_refused", new RegExp(`not taken while parts .*\\(${part}\\): they come first`)),
  );
  assert.equal((await store.show(whole)).state, "queued");
  await take(user);
  await store.transition(whole, { to: "planning", reason: "its parts first" }, user);
  for (const to of ["ready", "queued"] as const) await store.transition(whole, { to }, user);
  await store.close(part, "Made elsewhere.", user);
  assert.equal((await take(orchestrator)).to, "inprogress");
});
