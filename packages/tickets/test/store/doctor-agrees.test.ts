/** The store and the doctor ask the same: what the store lets through, in whatever order, the doctor finds no fault in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import {
  type Actor,
  type Entry,
  relationKinds,
  type TicketRole,
  ticketRoles,
  ticketStates,
  type TicketStore,
} from "../../src/index.ts";
import { memoryStore, ticketIn, user } from "./memory-store.ts";

const runs = 12;
const seed = 20_260_603;
const tickets = 2;

/** Few names, so that some review what they did themselves. Mostly in a role that may, else nothing would come to an end. */
const actorOf = (...roles: readonly TicketRole[]): fc.Arbitrary<Actor> =>
  fc.record({
    author: fc.constantFrom("ada", "bob"),
    role: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...roles) }, fc.constantFrom(...ticketRoles)),
    mayClose: fc.boolean(),
  });

const report: Entry = { kind: "implementation_report", body: "It is made." };
const review = fc.constantFrom<Entry>(
  { kind: "review", status: "approve", body: "" },
  { kind: "review", status: "request_changes", body: "Not yet." },
);
const which = fc.nat({ max: tickets - 1 });
const reason = "It has to be.";

const act = fc.oneof(
  fc.record({ one: which, entry: fc.constant(report), by: actorOf("coder") }),
  fc.record({ one: which, entry: review, by: actorOf("reviewer") }),
  fc.record({
    one: which,
    to: fc.constantFrom(...ticketStates, "done"),
    by: actorOf("orchestrator", "user"),
  }),
  fc.record({
    one: which,
    other: which,
    relation: fc.constantFrom(...relationKinds),
    remove: fc.boolean(),
    by: actorOf("intake"),
  }),
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

async function perform(store: TicketStore, ids: readonly string[], act: Act): Promise<void> {
  const id = ids[act.one] ?? "";
  if ("entry" in act) await store.add(id, act.entry, act.by);
  else if ("relation" in act)
    await store.link(
      id,
      { relation: act.relation, target: ids[act.other] ?? "", remove: act.remove },
      act.by,
    );
  else if (act.to === "closed") await store.close(id, reason, act.by);
  else if ((await store.show(id)).state === "closed") await store.reopen(id, reason, act.by);
  else await store.transition(id, { to: act.to, reason }, act.by);
}

const errorsOf = async (store: TicketStore) =>
  (await store.doctor({ fix: false })).problems.filter(({ severity }) => severity === "error");

test(`whatever the store lets through, the doctor finds no fault in: ${runs} runs, seed ${seed}`, async () => {
  let refused = 0;
  let doneByPods = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 30, maxLength: 40 }), async (acts) => {
      const { store } = memoryStore();
      const ids: string[] = [];
      for (let n = 0; n < tickets; n++) ids.push(await ticketIn("inprogress", store));
      for (const one of acts)
        try {
          await perform(store, ids, one);
        } catch (error) {
          if (!(error instanceof YoiError)) throw error;
          refused += 1;
        }
      for (const id of ids)
        doneByPods += (await store.show(id)).events.filter(
          ({ role, to }) => role === "orchestrator" && to === "done",
        ).length;
      assert.deepEqual(await errorsOf(store), []);
    }),
    { numRuns: runs, seed },
  );
  assert.ok(refused > runs, `only ${refused} refusals`);
  assert.ok(doneByPods > 0, "no Pod came to done");
});

test("an approval that came in from an old layout is none of the work that is begun here", async () => {
  const { store, host } = memoryStore(memoryHost({ seed: 1, startMs: Date.UTC(2026, 5, 10) }));
  const old = "/project/work-items/open/20260603-122317-x";
  await host.files.makeDirectory(old);
  const item =
    "---\nid: 20260603-122317-x\ntitle: X\nstatus: open\ncreated_at: 2026-06-03T12:23:17Z\n---\n\nbody\n";
  const event = (kind: string, more: string) =>
    `<!-- event: ${kind} author: hare at: 2026-06-04T12:23:17Z${more} -->\n\n## ${kind}\n\nfine\n\n---\n`;
  await host.files.replace(`${old}/item.md`, Buffer.from(item));
  await host.files.replace(
    `${old}/thread.md`,
    Buffer.from(`${event("implementation_report", "")}\n${event("review", " status: approve")}`),
  );
  const [imported] = (await store.importOld("/project/work-items", user)).imported;
  const id = imported?.id ?? "";
  assert.equal((await store.show(id)).review, null);
  const lead: Actor = { author: "lead", role: "orchestrator" };
  await store.transition(id, { to: "queued" }, user);
  await store.transition(id, { to: "inprogress" }, lead);
  await assert.rejects(store.transition(id, { to: "done" }, lead), /is not done without a report/);
  assert.deepEqual(await errorsOf(store), []);
});
