/** Every limit of what a ticket holds, at n and at n + 1. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryHost } from "@yoi/host";
import {
  authorCharsMax,
  bodyBytesMax,
  itemBytesMax,
  reasonBytesMax,
  threadBytesMax,
  ticketsMax,
  titleCharsMax,
} from "../../src/index.ts";
import { fieldKeyCharsMax, fieldsMax, fieldValueBytesMax, fieldValuesMax } from "../../src/create-ticket.ts";
import { listedDepthMax } from "../../src/doctor/survey.ts";
import { artifactsShownMax } from "../../src/shown-ticket.ts";
import { encodeTicketId } from "../../src/ticket-id.ts";
import {
  memoryStore,
  refusedWith,
  root,
  startMs,
  textAt,
  ticketIn,
  user,
  wholeRoot,
} from "./memory-store.ts";

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
    const { files } = place.host;
    const id = await ticketIn("planning", place.store);
    const path = `${root}/${id}/thread.md`;
    const sizeNow = async () => (await files.stat(path))?.bytes ?? 0;
    const begun = Buffer.from((await textAt(place, `${id}/thread.md`)) ?? "");
    const comment = (body: string) => place.store.add(id, { kind: "comment", body }, user);
    await comment("b");
    const added = (await sizeNow()) - begun.length;
    const before = Buffer.alloc(threadBytesMax - added - begun.length, "x");
    before.write("\n", before.length - 1);
    await files.replace(path, Buffer.concat([before, begun]));
    await assert.rejects(
      comment("bb"),
      refusedWith(
        "limit_exceeded",
        /The thread of ticket .* would have 16777217 bytes, and at most 16777216 are kept/,
      ),
    );
    await comment("b");
    assert.equal(await sizeNow(), threadBytesMax);
    assert.equal((await place.store.show(id)).events.length, 2);
    await files.replace(path, Buffer.alloc(threadBytesMax + 1, "x"));
    await assert.rejects(
      place.store.show(id),
      refusedWith("ticket_damaged", /has 16777217 bytes, and at most 16777216 are read/),
    );
  });

  test(`${ticketsMax} tickets`, async () => {
    const host = memoryHost({ seed: 1, startMs });
    const names = Array.from({ length: ticketsMax }, (_, n) => encodeTicketId(n));
    let there: readonly string[] = [];
    const stat = { kind: "file", bytes: 0, executable: false, modifiedMs: 0, inode: 1 } as const;
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
    const { id } = await store.create({ title: "t", body: "" }, user);
    assert.equal((await host.files.stat(`${root}/${id}/item.md`))?.kind, "file");
  });

  test("8 that a ticket waits for are named, and how many more there are", async () => {
    const { store } = memoryStore();
    const id = await ticketIn("ready", store);
    const others: string[] = [];
    for (let n = 1; n <= 9; n += 1) {
      const other = await ticketIn("planning", store);
      others.push(other);
      await store.link(other, { relation: "blocks", target: id }, user);
      const named = `${others.slice(0, 8).join(", ")}${n > 8 ? " and 1 more" : ""}`;
      await assert.rejects(
        store.transition(id, { to: "queued" }, user),
        refusedWith("ticket_refused", new RegExp(`\\(${named}\\): finish them, or unlink them\\.$`)),
      );
    }
  });

  test(`${artifactsShownMax} artifacts are named, the first in the order of names`, async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const folder = `${root}/${id}/artifacts`;
    await place.host.files.makeDirectory(`${folder}/deep/er`);
    const put = (name: string) => place.host.files.replace(`${folder}/${name}`, Buffer.from("x"));
    await put("deep/er/report.md");
    for (let n = 1; n < artifactsShownMax; n += 1) await put(`f${n}`);
    const all = (await place.store.show(id)).artifacts;
    assert.deepEqual([all.length, all[0]], [artifactsShownMax, "deep/er/report.md"]);
    await put("before");
    assert.deepEqual((await place.store.show(id)).artifacts, ["before", ...all.slice(0, -1)]);
  });

  test(`artifacts are named in ${listedDepthMax - 1} folders in each other`, async () => {
    const place = memoryStore();
    const id = await ticketIn("planning", place.store);
    const put = async (folders: number) => {
      const folder = `artifacts${"/x".repeat(folders)}`;
      await place.host.files.makeDirectory(`${root}/${id}/${folder}`);
      await place.host.files.replace(`${root}/${id}/${folder}/y`, Buffer.from("y"));
    };
    await put(listedDepthMax - 1);
    await put(listedDepthMax);
    assert.deepEqual((await place.store.show(id)).artifacts, [`${"x/".repeat(listedDepthMax - 1)}y`]);
  });
});
