/** The store verb by verb: what comes in is what is shown, the thread is the authority, ids are never given twice. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { failNth } from "@yoi/host";
import { clockAheadMsMax } from "../../src/append-event.ts";
import { idProbesMax } from "../../src/create-ticket.ts";
import { encodeTicketId } from "../../src/ticket-id.ts";
import {
  coder,
  memoryStore,
  refusedWith,
  root,
  startMs,
  textAt,
  ticketIn,
  user,
  wholeRoot,
} from "./memory-store.ts";

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

  test("what a writer left that was killed at the files for git goes when they are written", async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    await place.host.files.removeFile(`${root}/.gitignore`);
    await place.host.files.replace(`${root}/..gitignore.0a1b-2c.tmp`, Buffer.from("half"));
    await place.store.add(id, { kind: "comment", body: "On." }, user);
    assert.deepEqual(await place.host.files.list(root), [".gitattributes", ".gitignore", id]);
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
        refusedWith(code, /^Cannot write to \/project\/\.yoi\/tickets\/.*; .+\.$/),
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

  test("of a time that no clock has, the last there is even, keep nobody from writing", async () => {
    for (const [aheadMs, expected] of [
      [clockAheadMsMax, startMs + clockAheadMsMax + 1],
      [clockAheadMsMax + 1, startMs],
      [8_640_000_000_000_000 - startMs, startMs],
    ] as const) {
      const place = memoryStore();
      const id = await ticketIn("planning", place.store);
      const text = (await textAt(place, `${id}/thread.md`)) ?? "";
      await place.host.files.replace(
        `${root}/${id}/thread.md`,
        Buffer.from(text.replaceAll(encodeTicketId(startMs), encodeTicketId(startMs + aheadMs))),
      );
      const event = await place.store.add(id, { kind: "comment", body: "Now." }, user);
      assert.equal(event.id, encodeTicketId(expected));
      const { problems } = await place.store.doctor({ fix: false });
      assert.ok(problems.some(({ check }) => check === "date_future"));
    }
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
