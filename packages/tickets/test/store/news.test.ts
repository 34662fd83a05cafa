/** What is new in threads: each event once, behind what is known, and cheap where nothing was written. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Cursor, News, TicketStore } from "../../src/index.ts";
import { coder, type MemoryStore, memoryStore, root, textAt, ticketIn, user } from "./memory-store.ts";

const all = { all: true, max: 100 };
const nothing: Cursor = { known: {}, sinceMs: null };
const quiet: News = { news: [], more: false, unreadable: [] };

function told({ news }: News): readonly string[] {
  return news.map(({ ticket, event }) => `${ticket} ${event?.kind ?? "anew"} ${event?.body ?? ""}`.trimEnd());
}

function behind(cursor: Cursor, { news }: News): Cursor {
  const known = Object.fromEntries(news.map(({ ticket, mark }) => [ticket, mark]));
  return { ...cursor, known: { ...cursor.known, ...known } };
}

function say(store: TicketStore, id: string, body: string): Promise<unknown> {
  return store.add(id, { kind: "comment", body }, coder);
}

async function reads({ host }: MemoryStore, work: () => Promise<unknown>): Promise<number> {
  const before = host.disk.count("read");
  await work();
  return host.disk.count("read") - before;
}

describe("news", () => {
  test("of all threads: what is there once, then what came in, in the order of threads", async () => {
    const { store } = memoryStore();
    assert.deepEqual(await store.news(nothing, all), quiet);
    const [one, other] = [await ticketIn("planning", store), await ticketIn("planning", store)];
    const first = await store.news(nothing, all);
    assert.deepEqual(told(first), [`${one} create`, `${other} create`]);
    const cursor = behind(nothing, first);
    assert.deepEqual(await store.news(cursor, all), quiet);
    await say(store, other, "one");
    await say(store, one, "two");
    await say(store, other, "three");
    const next = await store.news(cursor, all);
    assert.deepEqual(told(next), [`${one} comment two`, `${other} comment one`, `${other} comment three`]);
    assert.deepEqual([next.news[0]?.title, next.news[0]?.state], ["A ticket", "planning"]);
    assert.deepEqual(await store.news(behind(cursor, next), all), quiet);
  });

  test("of a ticket that was brought in: that it came, where it is open, and what is said from then on", async () => {
    const place = memoryStore();
    const { store } = place;
    const old = (to: string) =>
      [
        `create at: 2026-01-01T00:00:00Z`,
        `comment at: 2026-01-02T00:00:00Z`,
        `migration from: open to: ${to}`,
      ]
        .map((head) => `<!-- event: ${head} author: hare -->\n\nOld.\n\n---\n\n`)
        .join("");
    const [open, closed] = [await ticketIn("planning", store), await ticketIn("closed", store)];
    await place.host.files.replace(`${root}/${open}/thread.md`, Buffer.from(old("planning")));
    await place.host.files.replace(`${root}/${closed}/thread.md`, Buffer.from(old("closed")));
    const first = await store.news(nothing, all);
    assert.deepEqual(told(first), [`${open} migration Old.`]);
    const cursor = behind(nothing, first);
    await store.news(cursor, all);
    await say(store, closed, "Again?");
    assert.deepEqual(told(await store.news(cursor, all)), [`${closed} comment Again?`]);
  });

  test("of the threads that a cursor names, and of no other; what is gone is left out and stays in the cursor", async () => {
    const { store, host } = memoryStore();
    const [one, other] = [await ticketIn("planning", store), await ticketIn("planning", store)];
    const { known } = behind(nothing, await store.news(nothing, all));
    const mine: Cursor = {
      known: { [one]: known[one] ?? "", "0000000000000": known[other] ?? "", "not an id": "" },
      sinceMs: null,
    };
    await say(store, one, "mine");
    await say(store, other, "not mine");
    assert.deepEqual(told(await store.news(mine, { all: false, max: 100 })), [`${one} comment mine`]);
    await host.files.removeTree(`${root}/${one}`);
    assert.deepEqual(await store.news(mine, { all: false, max: 100 }), quiet);
  });

  test("comes in portions, and the last portion says so", async () => {
    const { store } = memoryStore();
    const [one, other] = [await ticketIn("ready", store), await ticketIn("ready", store)];
    let cursor = nothing;
    const portions: string[][] = [];
    for (let more = true; more;) {
      const news = await store.news(cursor, { all: true, max: 3 });
      portions.push([...told(news)]);
      cursor = behind(cursor, news);
      ({ more } = news);
    }
    assert.deepEqual(portions, [
      [`${one} create`, `${one} state_changed`, `${other} create`],
      [`${other} state_changed`],
    ]);
    assert.deepEqual((await store.news(nothing, { all: true, max: 4 })).more, false);
  });

  test("reads only threads that were written to", async () => {
    const place = memoryStore();
    const { store } = place;
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) ids.push(await ticketIn("planning", store));
    const cursor = behind(nothing, await store.news(nothing, all));
    assert.equal(await reads(place, () => store.news(cursor, all)), 0);
    await say(store, ids[3] ?? "", "new");
    // Its thread and its item.
    assert.equal(await reads(place, () => store.news(cursor, all)), 2);
    // Another store has to read all; control for the count.
    assert.equal(await reads(place, () => memoryStore(place.host).store.news(cursor, all)), 16);
  });

  test("history that goes back is no news, and what comes back is known; another one is told as one, once", async () => {
    const place = memoryStore();
    const { store, host } = place;
    const put = (text: string | null) => host.files.replace(path, Buffer.from(text ?? ""));
    const id = await ticketIn("planning", store);
    const path = `${root}/${id}/thread.md`;
    await say(store, id, "kept");
    const kept = await textAt(place, `${id}/thread.md`);
    await say(store, id, "known");
    const whole = await textAt(place, `${id}/thread.md`);
    const cursor = behind(nothing, await store.news(nothing, all));
    await put(kept);
    assert.deepEqual(await store.news(cursor, all), quiet);
    await put(whole);
    assert.deepEqual(await store.news(cursor, all), quiet);
    await put(kept);
    await host.advance(10);
    await say(store, id, "another");
    const anew = await store.news(cursor, all);
    assert.deepEqual(told(anew), [`${id} anew`]);
    const next = behind(cursor, anew);
    assert.deepEqual(await store.news(next, all), quiet);
    await say(store, id, "later");
    assert.deepEqual(told(await store.news(next, all)), [`${id} comment later`]);
    // What was written by another version is none of these marks.
    assert.deepEqual(told(await store.news({ ...cursor, known: { [id]: "@1" } }, all)), [`${id} anew`]);
  });

  test("a ticket that is not named is known up to the time that holds for all of these; what git brings in while it is looked at is told whenever it was written", async () => {
    const place = memoryStore();
    const { store, host } = place;
    const id = await ticketIn("planning", store);
    await host.advance(1_000);
    await say(store, id, "known");
    const known = (await textAt(place, `${id}/thread.md`)) ?? "";
    const since: Cursor = { known: {}, sinceMs: host.clock.now() };
    assert.deepEqual(await store.news(since, all), quiet);
    const colleague = memoryStore();
    const older = await ticketIn("planning", colleague.store);
    await say(colleague.store, older, "older");
    const [, block = ""] = ((await textAt(colleague, `${older}/thread.md`)) ?? "").split(
      /(?=<!-- event: comment)/,
    );
    await host.files.replace(`${root}/${id}/thread.md`, Buffer.from(`${known}\n${block}`));
    assert.deepEqual(told(await store.news(since, all)), [`${id} comment older`]);
    await host.files.replace(`${root}/${id}/thread.md`, Buffer.from(known));
    await host.advance(1_000);
    await say(store, id, "later");
    assert.deepEqual(told(await memoryStore(host).store.news(since, all)), [`${id} comment later`]);
  });

  test("from now on: all is known, but what waits in queued", async () => {
    const { store } = memoryStore();
    const [known, waiting] = [await ticketIn("inprogress", store), await ticketIn("queued", store)];
    await say(store, waiting, "behind the gate");
    const begun = await store.newsFromNow();
    assert.deepEqual(begun.waiting, [waiting]);
    assert.deepEqual(Object.keys(begun.known), [known, waiting]);
    assert.deepEqual(told(await store.news({ known: begun.known, sinceMs: null }, all)), [
      `${waiting} state_changed`,
      `${waiting} comment behind the gate`,
    ]);
  });

  test("what cannot be read now is news once it can", async () => {
    const place = memoryStore();
    const { store, host } = place;
    const [one, other] = [await ticketIn("planning", store), await ticketIn("planning", store)];
    const cursor = behind(nothing, await store.news(nothing, all));
    for (const id of [one, other]) await say(store, id, "new");
    const item = await textAt(place, `${one}/item.md`);
    await host.files.replace(`${root}/${one}/item.md`, Buffer.from("<<<<<<<\n"));
    place.links.add(`${root}/${other}/thread.md`);
    const { news, unreadable } = await store.news(cursor, all);
    assert.deepEqual(
      [news, unreadable.map((sentence) => sentence.slice(0, 36))],
      [[], [`Ticket ${one} cannot be read:`, `Ticket ${other} cannot be read:`]],
    );
    await host.files.replace(`${root}/${one}/item.md`, Buffer.from(item ?? ""));
    place.links.clear();
    assert.deepEqual(told(await store.news(cursor, all)), [`${one} comment new`, `${other} comment new`]);
  });

  test("a list reads again only what changed, and sees who stands behind no event", async () => {
    const place = memoryStore();
    const { store } = place;
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) ids.push(await ticketIn("planning", store));
    await store.list();
    assert.equal(await reads(place, () => store.list()), 0);
    await store.close(ids[5] ?? "", "Over.", user);
    const count = await reads(place, async () =>
      assert.deepEqual(
        (await store.list()).tickets.map(({ id }) => id),
        ids.filter((id) => id !== ids[5]),
      ),
    );
    assert.equal(count, 2);
  });
});
