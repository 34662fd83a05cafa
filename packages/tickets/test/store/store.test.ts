/** The store verb by verb: what comes in is what is shown, limits are kept to the byte, ids are never given twice, no link is followed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import { failNth, memoryHost } from "@yoi/host";
import {
  type Actor,
  authorCharsMax,
  bodyBytesMax,
  itemBytesMax,
  reasonBytesMax,
  threadBytesMax,
  ticketsMax,
  titleCharsMax,
} from "../../src/index.ts";
import {
  fieldKeyCharsMax,
  fieldsMax,
  fieldValueBytesMax,
  fieldValuesMax,
  idProbesMax,
} from "../../src/create-ticket.ts";
import { artifactsShownMax } from "../../src/shown-ticket.ts";
import { encodeTicketId } from "../../src/ticket-id.ts";
import { coder, memoryStore, root, textAt, ticketIn, user, wholeRoot } from "./memory-store.ts";

const startMs = Date.UTC(2026, 0, 1);

function refusedWith(code: string, message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof YoiError, String(error));
    assert.match(error.message, message);
    assert.equal(error.code, code);
    return true;
  };
}

describe("a ticket", () => {
  test("is shown as it was made, and its files say the same to people", async () => {
    const place = memoryStore();
    const made = await place.store.create(
      {
        title: " 宵の星 🌠: #1 ",
        body: "\n\nWhy\r\n\r\n- one\n\n",
        fields: { labels: ["a", "b c"], priority: "P1" },
      },
      user,
    );
    const id = encodeTicketId(startMs);
    const at = "2026-01-01T00:00:00.000Z";
    const expected = {
      id,
      title: "宵の星 🌠: #1",
      state: "planning",
      created_at: at,
      updated_at: at,
      blocked_by: [],
      review: null,
      fields: { labels: ["a", "b c"], priority: "P1" },
      body: "Why\n\n- one",
      relations: [],
      related_from: [],
      resolution: null,
      artifacts: [],
      events: [{ id, kind: "create", author: "hare", role: "user", at, to: "planning", body: "" }],
    };
    assert.deepEqual(made, expected);
    assert.deepEqual(await place.store.show(id), expected);
    const { body, relations, related_from, resolution, artifacts, events, ...summary } = expected;
    void [body, relations, related_from, resolution, artifacts, events];
    assert.deepEqual(await place.store.list(), { tickets: [summary], problems: [] });
    assert.deepEqual(Object.keys(await wholeRoot(place)), [
      `${root}/.gitattributes`,
      `${root}/.gitignore`,
      `${root}/${id}/item.md`,
      `${root}/${id}/thread.md`,
    ]);
    assert.equal(await textAt(place, ".gitattributes"), "*/thread.md merge=union\n");
  });

  test("changes by its thread alone where somebody comments", async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const item = await textAt(place, `${id}/item.md`);
    await place.host.advance(60_000);
    const event = await place.store.add(
      id,
      { kind: "comment", body: "# A heading\n<!-- event: x -->" },
      coder,
    );
    assert.equal(await textAt(place, `${id}/item.md`), item);
    const shown = await place.store.show(id);
    assert.deepEqual([shown.events.at(-1), shown.updated_at], [event, "2026-01-01T00:01:00.000Z"]);
    assert.equal(event.body, "# A heading\n<!-- event: x -->");
  });

  test("keeps its resolution in a file while it is closed, and in the thread for good", async () => {
    const place = memoryStore();
    const id = await ticketIn("done", place.store);
    await place.store.close(id, "Merged as 1a2b3c.", user);
    assert.equal(await textAt(place, `${id}/resolution.md`), "Merged as 1a2b3c.\n");
    assert.equal((await place.store.show(id)).resolution, "Merged as 1a2b3c.");
    await assert.rejects(
      place.store.close(id, "Again.", user),
      refusedWith("ticket_refused", /is closed already/),
    );
    await place.store.reopen(id, "it broke", user);
    const shown = await place.store.show(id);
    assert.deepEqual(
      [await textAt(place, `${id}/resolution.md`), shown.resolution, shown.state],
      [null, null, "planning"],
    );
    assert.deepEqual(
      shown.events.slice(-2).map(({ kind, body, reason }) => [kind, body, reason]),
      [
        ["close", "Merged as 1a2b3c.", undefined],
        ["reopen", "", "it broke"],
      ],
    );
  });

  test("keeps every byte of what people wrote into item.md, and a resolution that is theirs", async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const path = `${root}/${id}/item.md`;
    const mine = `---\r\n# mine\r\ntitle:   'Kept'\r\nstate: planning # now\r\nassignee: me\r\n---\r\nBody  \r\n`;
    await place.host.files.replace(path, Buffer.from(mine));
    await place.host.files.replace(`${root}/${id}/resolution.md`, Buffer.from("Not by yoi.\n"));
    await place.store.transition(id, { to: "ready" }, user);
    const item = await textAt(place, `${id}/item.md`);
    assert.equal(
      item,
      mine
        .replace("state: planning", "state: ready")
        .replace("---\r\nBody", `updated_at: 2026-01-01T00:00:00.000Z\r\n---\r\nBody`),
    );
    assert.equal(await textAt(place, `${id}/resolution.md`), "Not by yoi.\n");
  });

  test("made by hand has the state of its item.md until its thread says one", async () => {
    const place = memoryStore();
    await ticketIn("planning", place.store);
    const id = "00001KT6Q08R9";
    await place.host.files.makeDirectory(`${root}/${id}`);
    await place.host.files.replace(
      `${root}/${id}/item.md`,
      Buffer.from("---\ntitle: By hand\nstate: ready\n---\n"),
    );
    const shown = await place.store.show(id);
    assert.deepEqual(
      [shown.title, shown.state, shown.created_at, shown.events],
      ["By hand", "ready", "2026-06-03T12:23:17.001Z", []],
    );
    await place.store.transition(id, { to: "queued" }, user);
    assert.equal((await place.store.show(id)).state, "queued");
  });
});

describe("the thread is the authority", () => {
  test("a state and a resolution that a killed writer did not come to write are shown, and written by the next", async () => {
    const place = memoryStore();
    const id = await ticketIn("done", place.store);
    const item = (await textAt(place, `${id}/item.md`)) ?? "";
    await place.store.close(id, "Over.", user);
    await place.host.files.replace(`${root}/${id}/item.md`, Buffer.from(item));
    await place.host.files.removeFile(`${root}/${id}/resolution.md`);
    await place.host.files.replace(`${root}/${id}/.thread.md.12ab.tmp`, Buffer.from("half"));
    const shown = await place.store.show(id);
    assert.deepEqual([shown.state, shown.resolution], ["closed", "Over."]);
    assert.deepEqual((await place.store.list()).tickets, []);
    await place.store.add(id, { kind: "comment", body: "Seen." }, coder);
    assert.match((await textAt(place, `${id}/item.md`)) ?? "", /^state: closed$/m);
    assert.deepEqual(await place.host.files.list(`${root}/${id}`), ["item.md", "resolution.md", "thread.md"]);
    assert.equal(await textAt(place, `${id}/resolution.md`), "Over.\n");
  });

  test("a front matter that yoi cannot write keeps nobody from going on", async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const path = `${root}/${id}/item.md`;
    const mine = "---\n{title: &t Mine, again: *t, state: planning}\n---\n";
    await place.host.files.replace(path, Buffer.from(mine));
    await place.store.transition(id, { to: "ready" }, user);
    await place.store.add(id, { kind: "comment", body: "On." }, user);
    const shown = await place.store.show(id);
    assert.deepEqual(
      [await textAt(place, `${id}/item.md`), shown.state, shown.events.length],
      [mine, "ready", 3],
    );
  });

  test("where only what follows from an event fails, the event stands", async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    place.host.disk.plan = failNth("rename", place.host.disk.count("rename") + 2, "ENOSPC");
    const event = await place.store.transition(id, { to: "ready" }, user);
    assert.match((await textAt(place, `${id}/item.md`)) ?? "", /^state: planning$/m);
    const shown = await place.store.show(id);
    assert.deepEqual([shown.state, shown.events.at(-1)], ["ready", event]);
  });

  test("a disk that is full, or that may not be written to, changes nothing and says so", async () => {
    for (const [effect, code] of [
      ["ENOSPC", "disk_full"],
      ["EACCES", "permission_denied"],
      ["EIO", "io_failed"],
    ] as const) {
      const place = memoryStore();
      const id = await ticketIn("planning", place.store);
      const before = await wholeRoot(place);
      place.host.disk.plan = failNth("write", place.host.disk.count("write") + 1, effect);
      await assert.rejects(
        place.store.add(id, { kind: "comment", body: "No." }, user),
        refusedWith(code, /^Cannot write to \/work\/\.yoi\/tickets\/.*; .+\.$/),
      );
      assert.deepEqual(await wholeRoot(place), before);
    }
  });
});

describe("ids", () => {
  test("of one millisecond follow each other, of tickets and of events, also while the clock stands still", async () => {
    const { store } = memoryStore();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await ticketIn("planning", store));
    assert.deepEqual(
      ids,
      Array.from({ length: 5 }, (_, n) => encodeTicketId(startMs + n)),
    );
    for (let n = 0; n < 4; n += 1) await store.add(ids[0] ?? "", { kind: "comment", body: `${n}` }, user);
    assert.deepEqual(
      (await store.show(ids[0] ?? "")).events.map(({ id }) => id),
      Array.from({ length: 5 }, (_, n) => encodeTicketId(startMs + n)),
    );
  });

  test("are greater than any before in a thread, also where that was written by a clock ahead of this one", async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const ahead = encodeTicketId(startMs + 86_400_000);
    const text = (await textAt(place, `${id}/thread.md`)) ?? "";
    await place.host.files.replace(
      `${root}/${id}/thread.md`,
      Buffer.from(text.replaceAll(encodeTicketId(startMs), ahead)),
    );
    const event = await place.store.add(id, { kind: "comment", body: "Later." }, user);
    assert.deepEqual(
      [event.id, event.at],
      [encodeTicketId(startMs + 86_400_001), "2026-01-01T00:00:00.000Z"],
    );
  });

  test(`are looked for in ${idProbesMax} milliseconds, and no further`, async () => {
    const place = memoryStore();
    const taken = async (n: number) =>
      place.host.files.replace(`${root}/${encodeTicketId(startMs + n)}`, Buffer.from("a file"));
    await place.host.files.makeDirectory(root);
    for (let n = 0; n < idProbesMax - 1; n += 1) await taken(n);
    assert.equal(await ticketIn("planning", place.store), encodeTicketId(startMs + idProbesMax - 1));
    await assert.rejects(
      ticketIn("planning", place.store),
      refusedWith("limit_exceeded", /The ids of the next 1000 milliseconds are taken/),
    );
  });
});

describe("limits, at n and n + 1", () => {
  const long = (bytes: number) => "x".repeat(bytes);
  const fits: readonly {
    what: string;
    give: (size: number, id: string, store: ReturnType<typeof memoryStore>["store"]) => Promise<unknown>;
    max: number;
  }[] = [
    {
      what: "characters of a title",
      max: titleCharsMax,
      give: (n, _, store) => store.create({ title: "🌠".repeat(n), body: "" }, user),
    },
    {
      what: "bytes of a body",
      max: bodyBytesMax,
      give: (n, _, store) => store.create({ title: "t", body: long(n) }, user),
    },
    {
      what: "bytes of an entry",
      max: bodyBytesMax,
      give: (n, id, store) => store.add(id, { kind: "comment", body: long(n) }, user),
    },
    {
      what: "bytes of a reason",
      max: reasonBytesMax,
      give: (n, id, store) => store.transition(id, { to: "ready", reason: long(n) }, user),
    },
    {
      what: "characters of an author",
      max: authorCharsMax,
      give: (n, id, store) =>
        store.add(id, { kind: "comment", body: "b" }, { author: "é".repeat(n), role: "user" }),
    },
    {
      what: "fields",
      max: fieldsMax,
      give: (n, _, store) =>
        store.create(
          {
            title: "t",
            body: "",
            fields: Object.fromEntries(Array.from({ length: n }, (_each, at) => [`k${at}`, "v"])),
          },
          user,
        ),
    },
    {
      what: "values of a field",
      max: fieldValuesMax,
      give: (n, _, store) =>
        store.create(
          { title: "t", body: "", fields: { labels: Array.from({ length: n }, () => "v") } },
          user,
        ),
    },
    {
      what: "bytes of a value",
      max: fieldValueBytesMax,
      give: (n, _, store) => store.create({ title: "t", body: "", fields: { labels: [long(n)] } }, user),
    },
  ];
  for (const { what, max, give } of fits)
    test(`${max} ${what}`, async () => {
      const place = memoryStore();
      const id = await ticketIn("planning", place.store);
      const before = await wholeRoot(place);
      await assert.rejects(
        give(max + 1, id, place.store),
        refusedWith("limit_exceeded", new RegExp(`${max + 1} .*, and at most ${max} are kept: `)),
      );
      assert.deepEqual(await wholeRoot(place), before);
      await give(max, id, place.store);
      const { tickets, problems } = await place.store.list();
      assert.equal(problems.length, 0);
      for (const ticket of tickets) await place.store.show(ticket.id);
    });

  test(`${fieldKeyCharsMax} characters of a key`, async () => {
    const { store } = memoryStore();
    const make = (n: number) =>
      store.create({ title: "t", body: "", fields: { ["k".repeat(n)]: "v" } }, user);
    await assert.rejects(make(fieldKeyCharsMax + 1), refusedWith("usage", /is called what no field is/));
    await make(fieldKeyCharsMax);
  });

  test(`${itemBytesMax} bytes of an item.md`, async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const path = `${root}/${id}/item.md`;
    const text = (await textAt(place, `${id}/item.md`)) ?? "";
    const fill = (bytes: number) => place.host.files.replace(path, Buffer.from(text.padEnd(bytes, "x")));
    await fill(itemBytesMax);
    assert.equal((await place.store.show(id)).title, "A ticket");
    await fill(itemBytesMax + 1);
    await assert.rejects(
      place.store.show(id),
      refusedWith("ticket_damaged", /has 1048577 bytes, and at most 1048576 are read/),
    );
  });

  test(`${threadBytesMax} bytes of a thread`, async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const path = `${root}/${id}/thread.md`;
    const begun = (await textAt(place, `${id}/thread.md`)) ?? "";
    const { length: size } =
      (await place.store.add(id, { kind: "comment", body: "b" }, user),
      Buffer.from((await textAt(place, `${id}/thread.md`)) ?? ""));
    const added = size - begun.length;
    const filled = (bytes: number) =>
      place.host.files.replace(path, Buffer.from(`${"x".repeat(bytes - begun.length - 1)}\n${begun}`));
    await filled(threadBytesMax - added + 1);
    await assert.rejects(
      place.store.add(id, { kind: "comment", body: "b" }, user),
      refusedWith(
        "limit_exceeded",
        /The thread of ticket .* would have 16777217 bytes, and at most 16777216 are kept/,
      ),
    );
    await filled(threadBytesMax - added);
    await place.store.add(id, { kind: "comment", body: "b" }, user);
    assert.equal((await place.host.files.stat(path))?.bytes, threadBytesMax);
    assert.equal((await place.store.show(id)).events.length, 2);
    await place.host.files.replace(path, Buffer.alloc(threadBytesMax + 1, "x"));
    await assert.rejects(
      place.store.show(id),
      refusedWith("ticket_damaged", /has 16777217 bytes, and at most 16777216 are read/),
    );
  });

  test(`${ticketsMax} tickets`, async () => {
    const host = memoryHost({ seed: 1, startMs });
    const names = Array.from({ length: ticketsMax }, (_, n) => encodeTicketId(n));
    let there: readonly string[] = [];
    const stat = { kind: "file", bytes: 0, modifiedMs: 0, inode: 1 } as const;
    const files = {
      ...host.files,
      list: async (path: string) =>
        path === root ? [...there, ...(await host.files.list(path))] : host.files.list(path),
      stat: async (path: string) => (await host.files.stat(path)) ?? (path.endsWith("item.md") ? stat : null),
    };
    const { store } = memoryStore({ ...host, files });
    there = names;
    await assert.rejects(
      ticketIn("planning", store),
      refusedWith("limit_exceeded", /There are 10000 tickets in .*, and at most 10000 are kept/),
    );
    there = names.slice(1);
    await assert.doesNotReject(
      store.create({ title: "t", body: "" }, user).catch((error: YoiError) => {
        // Those that are only listed cannot be shown.
        if (error.code === "limit_exceeded") throw error;
      }),
    );
  });

  test(`${artifactsShownMax} artifacts are named`, async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const folder = `${root}/${id}/artifacts`;
    await place.host.files.makeDirectory(`${folder}/deep/er`);
    await place.host.files.replace(`${folder}/deep/er/report.md`, Buffer.from("x"));
    for (let n = 1; n < artifactsShownMax; n += 1)
      await place.host.files.replace(`${folder}/f${n}`, Buffer.from("x"));
    assert.equal((await place.store.show(id)).artifacts.length, artifactsShownMax);
    assert.equal((await place.store.show(id)).artifacts[0], "deep/er/report.md");
    await place.host.files.replace(`${folder}/one-more`, Buffer.from("x"));
    assert.equal((await place.store.show(id)).artifacts.length, artifactsShownMax);
  });
});

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
    "/work/.yoi",
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
        // A resolution is looked at by who writes, artifacts by who shows.
        if (
          (at.endsWith("resolution.md") && verb === "show") ||
          (at.endsWith("artifacts") && verb !== "show")
        )
          continue;
        await assert.rejects(
          run(place.store, id),
          refusedWith("permission_denied", new RegExp(`^${link} is a symbolic link, and none is followed`)),
          verb,
        );
      }
      if (at === root || at === "/work/.yoi") {
        await assert.rejects(
          ticketIn("planning", place.store),
          refusedWith("permission_denied", /symbolic link/),
        );
        await assert.rejects(place.store.list(), refusedWith("permission_denied", /symbolic link/));
        await assert.rejects(
          place.store.news({}, { all: true, max: 1 }),
          refusedWith("permission_denied", /symbolic link/),
        );
      }
      place.links.clear();
      assert.deepEqual(await wholeRoot(place), before);
    });
});

describe("what cannot be read", () => {
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
