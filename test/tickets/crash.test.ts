/** Verbs over a disk that crashes and fails, and stores that do not survive it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Files, MemoryHost } from "@yoi/host";
import type { TicketStore } from "@yoi/tickets";
import { editItem } from "../../packages/tickets/src/edit-item.ts";
import { parseItem } from "../../packages/tickets/src/item.ts";
import { withEvent } from "../../packages/tickets/src/render-event.ts";
import { overriding } from "../support/overriding.ts";
import { proofTest } from "../support/proof.ts";
import { crashCase, type OpenStore, openStore, verbs } from "./crash.ts";
import { operationsMax, ticketCrash } from "./crash.proof.ts";

proofTest(ticketCrash);

test("every operation of every verb is hit by a crash, and each verb has some", async () => {
  const reached: Record<string, number> = {};
  for (const [index, verb] of verbs.entries())
    for (let at = 0; at < operationsMax; at += 1) {
      if (
        (await crashCase(verb, { at, effect: "crash" }, { seed: index * operationsMax + at })) ===
        "not reached"
      )
        break;
      reached[verb.name] = at + 1;
    }
  assert.deepEqual(
    Object.keys(reached),
    verbs.map(({ name }) => name),
  );
  for (const [name, operations] of Object.entries(reached))
    assert.ok(operations > 5 && operations < operationsMax, `${name} has ${operations} operations`);
});

test("cases that were answered wrongly hold", async () => {
  for (const index of [2_399, 3_236]) await ticketCrash.check(index);
});

/** That some crash of the verb does this harm to a store that does without one of the protections. */
async function assertHarm(name: string, open: OpenStore, expected: RegExp): Promise<void> {
  const verb = verbs.find((one) => one.name === name);
  assert.ok(verb !== undefined);
  const others = new Set<string>();
  for (let seed = 0; seed < operationsMax * 4; seed += 1)
    try {
      await crashCase(verb, { at: seed % operationsMax, effect: "crash" }, { seed, open });
    } catch (error) {
      if (expected.test(String(error))) return;
      others.add(String(error));
    }
  assert.fail(`no such harm was done, but ${[...others].join("; ")}`);
}

test("control: where a file is written in its place and not replaced, what was there is lost", async () => {
  const inPlace = ({ files }: MemoryHost): Files => ({
    ...files,
    replace: async (path, data) => {
      if ((await files.stat(path)) === null) await (await files.createAppend(path)).close();
      const file = await files.openAppend(path);
      await file.truncate(0);
      await file.append(data);
      await file.sync();
      await file.close();
    },
  });
  await assertHarm(
    "comment",
    (host) => openStore({ ...host, files: inPlace(host) }),
    /no (?:event|ticket) is lost/,
  );
});

test("control: where item.md is written first, and says the state, a state has no event", async () => {
  const itemFirst: OpenStore = (host) => {
    const store = openStore(host);
    const textOf = async (id: string) =>
      Buffer.from((await host.files.read(`/project/.yoi/tickets/${id}/item.md`)) ?? []).toString();
    const overridden: Partial<TicketStore> = {
      transition: async (id, transition, actor) => {
        const edited = editItem(await textOf(id), { state: transition.to });
        await host.files.replace(`/project/.yoi/tickets/${id}/item.md`, Buffer.from(edited));
        return store.transition(id, transition, actor);
      },
      show: async (id) => {
        const ticket = await store.show(id);
        return { ...ticket, state: parseItem(await textOf(id)).state ?? ticket.state };
      },
    };
    return overriding(store, overridden);
  };
  await assertHarm("transition", itemFirst, /the state is what the events say/);
});

test("control: where the next writer only adds its event, what a killed one left stays", async () => {
  const unhealed: OpenStore = (host) => {
    const store = openStore(host);
    const add: TicketStore["add"] = async (id, entry, { author, role }) => {
      const path = `/project/.yoi/tickets/${id}/thread.md`;
      const text = Buffer.from((await host.files.read(path)) ?? []).toString();
      const event = { ...entry, id: `${text.length}`, author, role, at: "2026-01-01T00:00:00.000Z" };
      await host.files.replace(path, Buffer.from(withEvent(text, event)));
      return event;
    };
    return overriding(store, { add });
  };
  await assertHarm("close", unhealed, /item\.md says the state|resolution\.md/);
});
