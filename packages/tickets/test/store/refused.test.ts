/** What is no text, no ticket, or leads elsewhere: refused in one sentence, and nothing changes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import { type Host, memoryHost } from "@yoi/host";
import { type Actor, createTicketStore } from "../../src/index.ts";
import { memoryStore, refusedWith, root, ticketIn, user, wholeRoot } from "./memory-store.ts";

describe("what is no text is refused, and nothing changes", () => {
  const noText: readonly {
    what: string;
    give: (store: ReturnType<typeof memoryStore>["store"], id: string) => Promise<unknown>;
    says: RegExp;
  }[] = [
    {
      what: "an empty title",
      give: (store) => store.create({ title: " \t", body: "" }, user),
      says: /title of a ticket is empty/,
    },
    {
      what: "a title of two lines",
      give: (store) => store.create({ title: "a\nb", body: "" }, user),
      says: /not one line of text/,
    },
    {
      what: "a title with a line separator",
      give: (store) => store.create({ title: "a\u2028b", body: "" }, user),
      says: /not one line of text/,
    },
    {
      what: "a title that is half of a pair",
      give: (store) => store.create({ title: "a\ud800", body: "" }, user),
      says: /not one line of text/,
    },
    {
      what: "a body with a NUL",
      give: (store) => store.create({ title: "a", body: "b\0" }, user),
      says: /is not text/,
    },
    {
      what: "an empty comment",
      give: (store, id) => store.add(id, { kind: "comment", body: "\r\n \n" }, user),
      says: /comment is empty/,
    },
    {
      what: "an empty report",
      give: (store, id) => store.add(id, { kind: "implementation_report", body: "" }, user),
      says: /implementation report is empty/,
    },
    {
      what: "an empty resolution",
      give: (store, id) => store.close(id, "", user),
      says: /resolution is empty/,
    },
    {
      what: "an author of two lines",
      give: (store, id) =>
        store.add(id, { kind: "comment", body: "b" }, { author: "a\nb", role: "user" } satisfies Actor),
      says: /The author is not one line/,
    },
    {
      what: "a reason with an escape",
      give: (store, id) => store.transition(id, { to: "ready", reason: "\u001b[2J" }, user),
      says: /The reason is not one line/,
    },
    {
      what: "a field of the ticket's own",
      give: (store) => store.create({ title: "a", body: "", fields: { state: "done" } }, user),
      says: /field "state".* said by the ticket itself/,
    },
    {
      what: "a field of a prototype",
      give: (store) =>
        store.create({ title: "a", body: "", fields: Object.fromEntries([["__proto__", "x"]]) }, user),
      says: /is called what no field is/,
    },
  ];
  for (const { what, give, says } of noText)
    test(what, async () => {
      const place = memoryStore();
      const id = await ticketIn("planning", place.store);
      const before = await wholeRoot(place);
      await assert.rejects(give(place.store, id), refusedWith("usage", says));
      assert.deepEqual(await wholeRoot(place), before);
    });
});

describe("links and special files", () => {
  const verbs: Readonly<
    Record<string, (store: ReturnType<typeof memoryStore>["store"], id: string) => Promise<unknown>>
  > = {
    show: (store, id) => store.show(id),
    add: (store, id) => store.add(id, { kind: "comment", body: "b" }, user),
    transition: (store, id) => store.transition(id, { to: "ready" }, user),
    close: (store, id) => store.close(id, "b", user),
  };
  for (const at of [
    "/project/.yoi",
    root,
    `${root}/ID`,
    `${root}/ID/item.md`,
    `${root}/ID/thread.md`,
    `${root}/ID/resolution.md`,
    `${root}/ID/artifacts`,
  ])
    test(`a link at ${at}: no verb that meets it follows it`, async () => {
      const place = memoryStore();
      const id = await ticketIn("planning", place.store);
      await place.host.files.makeDirectory(`${root}/${id}/artifacts`);
      const before = await wholeRoot(place);
      const link = at.replace("ID", id);
      place.links.add(link);
      for (const [verb, run] of Object.entries(verbs)) {
        // A resolution is looked at by who closes, artifacts by who shows.
        if (
          (at.endsWith("resolution.md") && verb !== "close") ||
          (at.endsWith("artifacts") && verb !== "show")
        )
          continue;
        await assert.rejects(
          run(place.store, id),
          refusedWith("permission_denied", new RegExp(`^${link} is a symbolic link, and none is followed`)),
          verb,
        );
      }
      if (at === root || at === "/project/.yoi") {
        await assert.rejects(
          ticketIn("planning", place.store),
          refusedWith("permission_denied", /symbolic link/),
        );
        await assert.rejects(place.store.list(), refusedWith("permission_denied", /symbolic link/));
        await assert.rejects(
          place.store.news({ known: {}, sinceMs: null }, { all: true, max: 1 }),
          refusedWith("permission_denied", /symbolic link/),
        );
      }
      place.links.clear();
      assert.deepEqual(await wholeRoot(place), before);
    });
});

test("a link where a resolution would be stops nobody from working on an open ticket", async () => {
  const place = memoryStore();
  const id = await ticketIn("planning", place.store);
  place.links.add(`${root}/${id}/resolution.md`);
  await place.store.add(id, { kind: "comment", body: "b" }, user);
  await place.store.transition(id, { to: "ready" }, user);
  assert.equal((await place.store.show(id)).state, "ready");
  place.links.clear();
  await place.store.close(id, "b", user);
  place.links.add(`${root}/${id}/resolution.md`);
  await assert.rejects(place.store.reopen(id, "b", user), refusedWith("permission_denied", /symbolic link/));
});

describe("what cannot be read", () => {
  // As the disk answers: whatever goes through a link that leads to itself, or into a folder of somebody else's, fails.
  for (const [what, at, code] of [
    ["a link to itself in the place of item.md", "ID/item.md", "loop"],
    ["a link to itself in the place of thread.md", "ID/thread.md", "loop"],
    ["a link to itself in the place of a ticket", "ID", "loop"],
    ["a folder that this user may not enter", "ID", "closed"],
  ] as const)
    test(`${what} stops no work on other tickets`, async () => {
      const host = memoryHost({ seed: 1 });
      const { store: before } = memoryStore(host);
      const good = await ticketIn("ready", before);
      const bad = await ticketIn("planning", before);
      const path = `${root}/${at.replace("ID", bad)}`;
      const below = (asked: string): boolean => asked.startsWith(`${path}/`);
      const failing = (asked: string): void => {
        if (code === "loop" && (asked === path || below(asked)))
          throw new YoiError("io_failed", `Cannot stat ${asked}: too many links (ELOOP).`);
        if (code === "closed" && below(asked))
          throw new YoiError("permission_denied", `Cannot stat ${asked} (EACCES).`);
      };
      const files: Host["files"] = {
        ...host.files,
        stat: async (asked) => (failing(asked), host.files.stat(asked)),
        read: async (asked) => (failing(asked), host.files.read(asked)),
        list: async (asked) => (failing(asked), host.files.list(asked)),
      };
      const kindAt = async (asked: string) => {
        if (code === "loop" && asked === path) return "link";
        failing(asked);
        return (await host.files.stat(asked))?.kind ?? null;
      };
      await assert.rejects(files.stat(`${path}${at === "ID" ? "/item.md" : ""}`), YoiError);
      const store = createTicketStore({ ...host, files, kindAt, root });
      const { tickets, problems } = await store.list();
      assert.deepEqual([tickets.map(({ id }) => id), problems.length], [[good], 1]);
      assert.match(problems[0] ?? "", new RegExp(`^Ticket ${bad} cannot be read: `));
      assert.equal((await store.show(good)).id, good);
      const { news, unreadable } = await store.news({ known: {}, sinceMs: null }, { all: true, max: 9 });
      assert.deepEqual([[...new Set(news.map(({ ticket }) => ticket))], unreadable.length], [[good], 1]);
      await store.add(good, { kind: "comment", body: "b" }, user);
      const made = await store.create({ title: "Another", body: "" }, user);
      assert.deepEqual(made, await store.show(made.id));
      const queue = store.transition(good, { to: "queued" }, user);
      // What stands in its thread is known where that can be read.
      if (at === "ID/item.md") await queue;
      else await assert.rejects(queue, refusedWith("ticket_refused", new RegExp(`${bad} cannot be read`)));
    });

  test("of one ticket is said in the list, in one sentence, and fails only the verbs on that ticket", async () => {
    const place = memoryStore();
    const [one, other] = [await ticketIn("planning", place.store), await ticketIn("planning", place.store)];
    const path = `${root}/${one}/item.md`;
    const damages: readonly [string | Uint8Array, RegExp][] = [
      ["---\ntitle: [\n---\n", /item\.md, line \d+, cannot be read as a ticket: /],
      ["---\nstate: planning\n---\n", /item\.md does not say its title: add it between the --- lines\.$/],
      [Uint8Array.of(0xff, 0xfe), /item\.md is not UTF-8 text/],
      ["<<<<<<< ours\n", /item\.md, line 1, cannot be read as a ticket: /],
    ];
    for (const [bytes, says] of damages) {
      await place.host.files.replace(path, Buffer.from(bytes));
      await assert.rejects(place.store.show(one), refusedWith("ticket_damaged", says));
      await assert.rejects(
        place.store.add(one, { kind: "comment", body: "b" }, user),
        refusedWith("ticket_damaged", says),
      );
      const { tickets, problems } = await place.store.list();
      assert.deepEqual([tickets.map(({ id }) => id), problems.length], [[other], 1]);
      assert.match(problems[0] ?? "", says);
      assert.equal((await place.store.show(other)).id, other);
    }
    await place.host.files.removeFile(path);
    await place.store.add(other, { kind: "comment", body: "b" }, user);
    // With nothing in its thread but its beginning it may be what a killed create left.
    await assert.rejects(place.store.show(one), refusedWith("ticket_unknown", /There is no ticket/));
  });

  test("a blocker whose item.md cannot be read blocks all the same; one that cannot be read at all lets nothing be queued", async () => {
    const place = memoryStore();
    const [blocked, blocker] = [await ticketIn("ready", place.store), await ticketIn("ready", place.store)];
    await place.store.link(blocker, { relation: "blocks", target: blocked }, user);
    await place.host.files.replace(`${root}/${blocker}/item.md`, Buffer.from("<<<<<<< ours\n"));
    const queue = () => place.store.transition(blocked, { to: "queued" }, user);
    await assert.rejects(queue(), refusedWith("ticket_refused", new RegExp(`\\(${blocker}\\)`)));
    assert.deepEqual((await place.store.show(blocked)).blocked_by, [blocker]);
    place.links.add(`${root}/${blocker}/thread.md`);
    const fresh = memoryStore(place.host);
    for (const link of place.links) fresh.links.add(link);
    await assert.rejects(
      fresh.store.transition(blocked, { to: "queued" }, user),
      refusedWith(
        "ticket_refused",
        new RegExp(
          `^Whether ticket ${blocked} waits for another one is not known: ${blocker} cannot be read`,
        ),
      ),
    );
  });

  test("an unknown id is said to be one, whatever it looks like", async () => {
    const { store } = memoryStore();
    for (const id of ["0000000000000", "../../etc", "", "00001kt6q08r9"]) {
      await assert.rejects(
        store.show(id),
        refusedWith("ticket_unknown", /^There is no ticket ".*" .*: see yoi ticket list --state all\.$/),
      );
      await assert.rejects(store.close(id, "b", user), refusedWith("ticket_unknown", /^There is no ticket/));
    }
    assert.deepEqual(await store.list(), { tickets: [], problems: [] });
  });
});
