/** Every change of state by every role: what is legal happens and is on record, what is not changes nothing and says what is. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import {
  type Actor,
  type TicketEvent,
  type TicketRole,
  ticketRoles,
  type TicketState,
  ticketStates,
  type TicketStore,
} from "../../src/index.ts";
import { memoryStore, orchestrator, reviewer, textAt, ticketIn, user, wholeRoot } from "./memory-store.ts";

/** By hand and not from the table that it checks: from, to, and who may beside a person. */
const legal: readonly (readonly [TicketState, TicketState, readonly TicketRole[]])[] = [
  ["planning", "ready", ["intake"]],
  ["planning", "closed", []],
  ["ready", "planning", ["intake", "orchestrator"]],
  ["ready", "queued", []],
  ["ready", "closed", []],
  ["queued", "planning", ["orchestrator"]],
  ["queued", "ready", []],
  ["queued", "inprogress", ["orchestrator"]],
  ["queued", "closed", []],
  ["inprogress", "planning", ["orchestrator"]],
  ["inprogress", "done", ["orchestrator"]],
  ["inprogress", "closed", []],
  ["done", "inprogress", ["orchestrator"]],
  ["done", "closed", ["orchestrator"]],
  ["closed", "planning", []],
];

function bring(store: TicketStore, id: string, to: TicketState, actor: Actor): Promise<TicketEvent> {
  if (to === "closed") return store.close(id, "It is over.", actor);
  return store.transition(id, { to, reason: "as it has to be" }, actor);
}

const isRefused = (error: unknown) => error instanceof YoiError && error.code === "ticket_refused";

describe("each of 6 x 6 changes of state", () => {
  for (const role of ticketRoles)
    test(`by a ${role}: what is legal is made, what is not is refused and changes nothing`, async () => {
      const place = memoryStore();
      const { store } = place;
      const actor = { author: "somebody", role, mayClose: true };
      const untouched = new Map<TicketState, string>();
      for (const state of ticketStates) untouched.set(state, await ticketIn(state, store));
      const before = await wholeRoot(place);
      const made: string[] = [];
      for (const from of ticketStates)
        for (const to of ticketStates) {
          const rule = legal.find(([one, other]) => one === from && other === to);
          if (rule !== undefined && (role === "user" || rule[2].includes(role))) made.push(`${from} ${to}`);
          else
            await assert.rejects(
              bring(store, untouched.get(from) ?? "", to, actor),
              isRefused,
              `${from} ${to}`,
            );
        }
      assert.deepEqual(await wholeRoot(place), before);
      for (const way of made) {
        const [from, to] = way.split(" ") as [TicketState, TicketState];
        const id = await ticketIn(from, store);
        // What the gate of done asks for beside the role.
        if (to === "done") {
          await store.add(id, { kind: "implementation_report", body: "It is made." }, user);
          await store.add(id, { kind: "review", status: "approve", body: "" }, reviewer);
        }
        const event = await bring(store, id, to, actor);
        const shown = await store.show(id);
        assert.deepEqual(
          [shown.state, shown.events.at(-1), event.kind, event.from, event.to, event.author, event.role],
          [to, event, kindOf(from, to), from, to, "somebody", role],
        );
        assert.match((await textAt(place, `${id}/item.md`)) ?? "", new RegExp(`^state: ${to}$`, "m"));
      }
    });
});

function kindOf(from: TicketState, to: TicketState): string {
  if (to === "closed") return "close";
  return from === "closed" ? "reopen" : "state_changed";
}

describe("what a change of state asks for beside the role", () => {
  const backwards = [
    ["ready", "planning"],
    ["queued", "planning"],
    ["queued", "ready"],
    ["inprogress", "planning"],
    ["done", "inprogress"],
    ["closed", "planning"],
  ] as const;
  for (const [from, to] of backwards)
    test(`${from} to ${to} needs a reason`, async () => {
      const { store } = memoryStore();
      const id = await ticketIn(from, store);
      await assert.rejects(store.transition(id, { to }, user), (error: YoiError) => {
        assert.deepEqual(
          [error.code, error.message],
          ["usage", `Ticket ${id} goes from ${from} to ${to} only with a reason: say why.`],
        );
        return true;
      });
    });

  test("an orchestrator closes only where a person let it", async () => {
    const { store } = memoryStore();
    const id = await ticketIn("done", store);
    await assert.rejects(store.close(id, "Merged.", orchestrator), isRefused);
    await assert.rejects(store.close(id, "Merged.", { ...orchestrator, mayClose: false }), isRefused);
    assert.equal((await store.close(id, "Merged.", { ...orchestrator, mayClose: true })).to, "closed");
  });

  test("a refusal says what may be done from there, and by whom", async () => {
    const { store } = memoryStore();
    const id = await ticketIn("ready", store);
    const refusals: readonly [Promise<unknown>, string][] = [
      [
        store.transition(id, { to: "queued" }, orchestrator),
        `An orchestrator may not bring ticket ${id} from ready to queued: a person may; from ready it goes to queued (a person) or planning (a person, an intake or an orchestrator) or closed (a person).`,
      ],
      [
        store.transition(id, { to: "done" }, user),
        `Ticket ${id} is ready, and cannot be brought to done: from ready it goes to queued (a person) or planning (a person, an intake or an orchestrator) or closed (a person).`,
      ],
      [
        store.transition(id, { to: "ready" }, user),
        `Ticket ${id} is ready already: from ready it goes to queued (a person) or planning (a person, an intake or an orchestrator) or closed (a person).`,
      ],
      [store.reopen(id, "again", user), `Ticket ${id} is ready, and only a closed one is opened again.`],
    ];
    for (const [refusal, message] of refusals)
      await assert.rejects(refusal, { code: "ticket_refused", message });
  });
});
