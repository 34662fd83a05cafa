/** What a ticket waits for: others that block it, its parts, a review; who writes what into it; how tickets are tied together. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Actor,
  type Entry,
  relationsMax,
  type TicketRole,
  ticketRoles,
  type TicketState,
  type TicketStore,
} from "../../src/index.ts";
import {
  coder,
  memoryStore,
  orchestrator,
  refusedWith,
  reviewer,
  ticketIn,
  user,
  wholeRoot,
} from "./memory-store.ts";

const report: Entry = { kind: "implementation_report", body: "It is made." };
const approval: Entry = { kind: "review", status: "approve", body: "" };
const objection: Entry = { kind: "review", status: "request_changes", body: "Not yet." };

describe("who writes what", () => {
  /** Beside the user. */
  const writers: Readonly<Record<Entry["kind"], readonly TicketRole[]>> = {
    comment: ["intake", "orchestrator", "coder", "reviewer"],
    plan: ["intake", "orchestrator", "coder"],
    decision: ["intake", "orchestrator"],
    implementation_report: ["orchestrator", "coder"],
    review: ["reviewer"],
  };
  for (const [kind, roles] of Object.entries(writers) as [Entry["kind"], readonly TicketRole[]][])
    test(`${kind}: a person${roles.map((role) => `, ${role}`).join("")}`, async () => {
      const place = memoryStore();
      const id = await ticketIn("inprogress", place.store);
      if (kind === "review") await place.store.add(id, report, user);
      const entry: Entry =
        kind === "review" ? { kind, status: "request_changes", body: "See" } : { kind, body: "See" };
      for (const role of ticketRoles) {
        const actor: Actor = { author: `the ${role}`, role };
        if (role === "user" || roles.includes(role)) {
          const event = await place.store.add(id, entry, actor);
          assert.deepEqual(
            { ...event, id: "", at: "" },
            { id: "", at: "", author: actor.author, role, ...entry },
          );
          continue;
        }
        const before = await wholeRoot(place);
        await assert.rejects(
          place.store.add(id, entry, actor),
          refusedWith("ticket_refused", /does not write an? .* into a ticket .*: a person.* may\.$/),
        );
        assert.deepEqual(await wholeRoot(place), before);
      }
    });

  test("nobody reviews a report of their own name, in whatever role; a person answers for themselves", async () => {
    const { store } = memoryStore();
    const id = await ticketIn("inprogress", store);
    const sameName: Actor = { ...reviewer, author: coder.author };
    const own = refusedWith("ticket_refused", /^The report in ticket \S+ is hands's own, and nobody reviews/);
    await store.add(id, report, coder);
    await assert.rejects(store.add(id, approval, sameName), own);
    // Behind another's report of the same round it is still one of those under review.
    await store.add(id, report, { ...coder, author: "other hands" });
    await assert.rejects(store.add(id, approval, sameName), own);
    await store.add(id, objection, reviewer);
    // Nor once somebody else has: a review behind it would stand as the last one.
    await assert.rejects(store.add(id, approval, sameName), own);
    await store.add(id, report, { ...coder, author: "other hands" });
    await store.add(id, approval, sameName);
    await store.add(id, report, user);
    await store.add(id, approval, user);
  });
});

test("a Pod reviews what is reported, and where nothing is, nothing", async () => {
  const place = memoryStore();
  const { store } = place;
  const id = await ticketIn("ready", store);
  const isRefused = async () => {
    const before = await wholeRoot(place);
    await assert.rejects(
      store.add(id, approval, reviewer),
      refusedWith("ticket_refused", /^Nothing is reported in ticket \S+ since its work was last begun/),
    );
    assert.deepEqual(await wholeRoot(place), before);
  };
  await isRefused();
  await store.add(id, report, coder);
  await store.add(id, objection, reviewer);
  await store.transition(id, { to: "queued" }, user);
  await store.transition(id, { to: "inprogress" }, orchestrator);
  await isRefused();
});

describe("an orchestrator says done", () => {
  const rounds: readonly { what: string; entries: readonly (readonly [Entry, Actor])[]; may: boolean }[] = [
    { what: "without a report", entries: [], may: false },
    { what: "behind an approval of nothing", entries: [[approval, user]], may: false },
    { what: "behind a report alone", entries: [[report, coder]], may: false },
    {
      what: "behind an approved report",
      entries: [
        [report, coder],
        [approval, reviewer],
      ],
      may: true,
    },
    {
      what: "behind one that a person approved",
      entries: [
        [report, coder],
        [approval, user],
      ],
      may: true,
    },
    {
      what: "behind a request for changes",
      entries: [
        [report, coder],
        [approval, reviewer],
        [objection, reviewer],
      ],
      may: false,
    },
    {
      what: "behind a report since the approval",
      entries: [
        [report, coder],
        [approval, reviewer],
        [report, coder],
      ],
      may: false,
    },
    {
      what: "behind a second round",
      entries: [
        [report, coder],
        [objection, reviewer],
        [report, coder],
        [approval, reviewer],
      ],
      may: true,
    },
  ];
  for (const { what, entries, may } of rounds)
    test(`${what}: ${may ? "it is" : "it is not, and a person may all the same"}`, async () => {
      const { store } = memoryStore();
      const id = await ticketIn("inprogress", store);
      for (const [entry, actor] of entries) await store.add(id, entry, actor);
      const done = store.transition(id, { to: "done" }, orchestrator);
      if (may) await done;
      else {
        const message = entries.some(([{ kind }]) => kind === "implementation_report")
          ? /is not done without a review that approves/
          : /is not done without a report, and a review that approves it/;
        await assert.rejects(done, refusedWith("ticket_refused", message));
        await store.transition(id, { to: "done" }, user);
      }
      assert.equal((await store.show(id)).state, "done");
    });
});

describe("an approval is of the work as it was last begun", () => {
  type Begin = (store: TicketStore, id: string) => Promise<unknown>;
  const begun: readonly { what: string; from: TicketState; begin: Begin }[] = [
    {
      what: "approved before it was queued",
      from: "ready",
      begin: async (store, id) => {
        await store.transition(id, { to: "queued" }, user);
        await store.transition(id, { to: "inprogress" }, orchestrator);
      },
    },
    {
      what: "done, and sent back",
      from: "inprogress",
      begin: async (store, id) => {
        await store.transition(id, { to: "done" }, orchestrator);
        await store.transition(id, { to: "inprogress", reason: "It does not work." }, user);
      },
    },
    {
      what: "closed, opened again and queued anew",
      from: "inprogress",
      begin: async (store, id) => {
        await store.close(id, "Not now.", user);
        await store.reopen(id, "Now.", user);
        for (const to of ["ready", "queued"] as const) await store.transition(id, { to }, user);
        await store.transition(id, { to: "inprogress" }, orchestrator);
      },
    },
    {
      what: "brought back to planning",
      from: "inprogress",
      begin: async (store, id) => {
        await store.transition(id, { to: "planning", reason: "What about none?" }, orchestrator);
        for (const to of ["ready", "queued"] as const) await store.transition(id, { to }, user);
        await store.transition(id, { to: "inprogress" }, orchestrator);
      },
    },
  ];
  for (const { what, from, begin } of begun)
    test(what, async () => {
      const { store } = memoryStore();
      const id = await ticketIn(from, store);
      for (const [entry, actor] of [
        [report, coder],
        [approval, reviewer],
      ] as const)
        await store.add(id, entry, actor);
      assert.equal((await store.show(id)).review, "approve");
      await begin(store, id);
      const shown = await store.show(id);
      assert.deepEqual([shown.state, shown.review], ["inprogress", null]);
      const done = () => store.transition(id, { to: "done" }, orchestrator);
      await assert.rejects(done(), refusedWith("ticket_refused", /is not done without a report/));
      await store.add(id, report, coder);
      await store.add(id, approval, reviewer);
      await done();
      assert.deepEqual(
        (await store.doctor({ fix: false })).problems.map(({ message }) => message),
        [],
      );
    });
});

describe("what others hold up", () => {
  test("a ticket is queued by nobody while one that is neither done nor closed blocks it", async () => {
    const { store } = memoryStore();
    const blocked = await ticketIn("ready", store);
    const [one, other] = [await ticketIn("inprogress", store), await ticketIn("ready", store)];
    for (const id of [one, other]) await store.link(id, { relation: "blocks", target: blocked }, user);
    const queue = () => store.transition(blocked, { to: "queued" }, user);
    const held = (...ids: string[]) =>
      refusedWith(
        "ticket_refused",
        new RegExp(`others block it that are neither done nor closed \\(${ids.join(", ")}\\)`),
      );
    await assert.rejects(queue(), held(one, other));
    assert.deepEqual((await store.show(blocked)).blocked_by, [one, other]);
    await store.transition(one, { to: "done" }, user);
    await assert.rejects(queue(), held(other));
    await store.link(other, { relation: "blocks", target: blocked, remove: true }, user);
    assert.equal((await queue()).to, "queued");
  });

  test("a ticket that is done again in progress blocks again", async () => {
    const { store } = memoryStore();
    const blocked = await ticketIn("ready", store);
    const blocker = await ticketIn("done", store);
    await store.link(blocker, { relation: "blocks", target: blocked }, user);
    assert.deepEqual((await store.show(blocked)).blocked_by, []);
    await store.transition(blocker, { to: "inprogress", reason: "it broke" }, user);
    assert.deepEqual((await store.show(blocked)).blocked_by, [blocker]);
  });

  test("what follows a ticket holds nothing up", async () => {
    const { store } = memoryStore();
    const [before, after] = [await ticketIn("ready", store), await ticketIn("ready", store)];
    await store.link(after, { relation: "follows", target: before }, user);
    await store.link(before, { relation: "follows", target: after }, user);
    for (const id of [before, after]) await store.transition(id, { to: "queued" }, user);
  });
});

describe("relations", () => {
  test("are shown from both sides, and taken back", async () => {
    const { store } = memoryStore();
    const [one, other] = [await ticketIn("planning", store), await ticketIn("planning", store)];
    const linked = await store.link(one, { relation: "blocks", target: other }, orchestrator);
    assert.deepEqual(
      [linked.kind, linked.relation, linked.target, linked.role],
      ["link", "blocks", other, "orchestrator"],
    );
    assert.deepEqual(
      [(await store.show(one)).relations, (await store.show(other)).related_from],
      [[{ relation: "blocks", target: other }], [{ relation: "blocks", target: one }]],
    );
    assert.equal(
      (await store.link(one, { relation: "blocks", target: other, remove: true }, user)).kind,
      "unlink",
    );
    assert.deepEqual([(await store.show(one)).relations, (await store.show(other)).related_from], [[], []]);
  });

  test("refused: to itself, to nothing, twice, what is not there, by a coder; nothing changes", async () => {
    const place = memoryStore();
    const { store } = place;
    const [one, other] = [await ticketIn("planning", store), await ticketIn("planning", store)];
    await store.link(one, { relation: "blocks", target: other }, user);
    const before = await wholeRoot(place);
    const refusals: readonly [Promise<unknown>, string, RegExp][] = [
      [store.link(one, { relation: "follows", target: one }, user), "usage", /is not related to itself/],
      [
        store.link(one, { relation: "follows", target: "0000000000000" }, user),
        "ticket_unknown",
        /There is no ticket "0000000000000"/,
      ],
      [
        store.link(one, { relation: "follows", target: "../x" }, user),
        "ticket_unknown",
        /There is no ticket/,
      ],
      [
        store.link(one, { relation: "blocks", target: other }, user),
        "ticket_refused",
        /has the relation blocks \S+ already/,
      ],
      [
        store.link(one, { relation: "part_of", target: other, remove: true }, user),
        "ticket_refused",
        /does not have the relation part_of/,
      ],
      [
        store.link(one, { relation: "part_of", target: other }, coder),
        "ticket_refused",
        /A coder does not write a link/,
      ],
    ];
    for (const [refusal, code, message] of refusals)
      await assert.rejects(refusal, refusedWith(code, message));
    assert.deepEqual(await wholeRoot(place), before);
  });

  const ways = [
    { what: "two that block each other", kinds: ["blocks", "blocks"] },
    { what: "two that are parts of each other", kinds: ["part_of", "part_of"] },
    { what: "three in a ring", kinds: ["blocks", "blocks", "blocks"] },
    { what: "a part that its whole blocks", kinds: ["part_of", "blocks"] },
    { what: "a longer way over both kinds", kinds: ["blocks", "part_of", "part_of", "blocks"] },
  ] as const;
  for (const { what, kinds } of ways)
    test(`refused: ${what}, for they would wait for each other`, async () => {
      const { store } = memoryStore();
      const ids: string[] = [];
      for (const _ of kinds) ids.push(await ticketIn("planning", store));
      for (const [index, relation] of kinds.entries()) {
        const [id = "", target = ""] = [ids[index], ids[(index + 1) % ids.length]];
        const linked = store.link(id, { relation, target }, user);
        if (index < kinds.length - 1) await linked;
        else
          await assert.rejects(
            linked,
            refusedWith(
              "ticket_refused",
              new RegExp(`they would wait for each other \\(${[...ids, ids[0]].join(" before ")}\\)`),
            ),
          );
      }
    });

  test(`a ticket has ${relationsMax} relations and no more`, async () => {
    const place = memoryStore();
    const { store, host } = place;
    const id = await ticketIn("planning", store);
    const last = await ticketIn("planning", store);
    const more = await ticketIn("planning", store);
    const path = `/project/.yoi/tickets/${id}/thread.md`;
    const stands = Buffer.from((await host.files.read(path)) ?? []).toString();
    const links = Array.from(
      { length: relationsMax - 1 },
      (_, n) =>
        `<!-- event: link author: hare at: 2026-01-01T00:00:00Z relation: follows target: ${String(n).padStart(13, "0")} -->\n`,
    );
    await host.files.replace(path, Buffer.from(stands + links.join("\n")));
    await store.link(id, { relation: "follows", target: last }, user);
    assert.equal((await store.show(id)).relations.length, relationsMax);
    await assert.rejects(
      store.link(id, { relation: "follows", target: more }, user),
      refusedWith("limit_exceeded", /257 relations, and at most 256 are kept/),
    );
  });
});
