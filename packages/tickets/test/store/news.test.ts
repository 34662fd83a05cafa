/** What is new in threads: each event once, behind what is known, and cheap where nothing was written. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Cursor, News, TicketStore } from "../../src/index.ts";
import { coder, type MemoryStore, memoryStore, root, textAt, ticketIn, user } from "./memory-store.ts";

const all = { all: true, max: 100 };

function told({ events }: News): readonly string[] {
  return events.map(({ ticket, event }) => `${ticket} ${event.kind} ${event.body}`.trimEnd());
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
    assert.deepEqual(await store.news({}, all), { events: [], cursor: {}, more: false });
    const [one, other] = [await ticketIn("planning", store), await ticketIn("planning", store)];
    const first = await store.news({}, all);
    assert.deepEqual(told(first), [`${one} create`, `${other} create`]);
    assert.deepEqual(await store.news(first.cursor, all), { events: [], cursor: first.cursor, more: false });
    await say(store, other, "one");
    await say(store, one, "two");
    await say(store, other, "three");
    const next = await store.news(first.cursor, all);
    assert.deepEqual(told(next), [`${one} comment two`, `${other} comment one`, `${other} comment three`]);
    assert.deepEqual(next.events[0]?.title, "A ticket");
    assert.deepEqual((await store.news(next.cursor, all)).events, []);
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
    const first = await store.news({}, all);
    assert.deepEqual(told(first), [`${open} migration Old.`]);
    assert.equal(await reads(place, () => store.news(first.cursor, all)), 0);
    await say(store, closed, "Again?");
    assert.deepEqual(told(await store.news(first.cursor, all)), [`${closed} comment Again?`]);
  });

  test("of the threads that a cursor names, and of no other; what is gone is left out and stays in the cursor", async () => {
    const { store, host } = memoryStore();
    const [one, other] = [await ticketIn("planning", store), await ticketIn("planning", store)];
    const { cursor } = await store.news({}, all);
    const mine: Cursor = { [one]: cursor[one] ?? "", "0000000000000": "0000000000000", "not an id": "" };
    await say(store, one, "mine");
    await say(store, other, "not mine");
    const news = await store.news(mine, { all: false, max: 100 });
    assert.deepEqual(told(news), [`${one} comment mine`]);
    assert.deepEqual(news.cursor, { ...mine, [one]: news.events[0]?.event.id });
    await host.files.removeTree(`${root}/${one}`);
    assert.deepEqual(await store.news(mine, { all: false, max: 100 }), {
      events: [],
      cursor: mine,
      more: false,
    });
  });

  test("comes in portions, and the last portion says so", async () => {
    const { store } = memoryStore();
    const [one, other] = [await ticketIn("ready", store), await ticketIn("ready", store)];
    let cursor: Cursor = {};
    const portions: string[][] = [];
    for (let more = true; more;) {
      const news = await store.news(cursor, { all: true, max: 3 });
      portions.push([...told(news)]);
      ({ cursor, more } = news);
    }
    assert.deepEqual(portions, [
      [`${one} create`, `${one} state_changed`, `${other} create`],
      [`${other} state_changed`],
    ]);
    assert.deepEqual((await store.news({}, { all: true, max: 4 })).more, false);
  });

  test("reads only threads that were written to", async () => {
    const place = memoryStore();
    const { store } = place;
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) ids.push(await ticketIn("planning", store));
    const { cursor } = await store.news({}, all);
    assert.equal(await reads(place, () => store.news(cursor, all)), 0);
    await say(store, ids[3] ?? "", "new");
    // Its thread and its item.
    assert.equal(await reads(place, () => store.news(cursor, all)), 2);
    // Another store has to read all; control for the count.
    assert.equal(await reads(place, () => memoryStore(place.host).store.news(cursor, all)), 16);
  });

  test("an event that is known and not there any more: what stands behind the last one that is no later", async () => {
    const place = memoryStore();
    const { store, host } = place;
    const id = await ticketIn("planning", store);
    await say(store, id, "kept");
    const kept = await textAt(place, `${id}/thread.md`);
    await say(store, id, "rewritten");
    const { cursor } = await store.news({}, all);
    await host.files.replace(`${root}/${id}/thread.md`, Buffer.from(kept ?? ""));
    const quiet = await store.news(cursor, all);
    assert.deepEqual(quiet, { events: [], cursor, more: false });
    // Nothing is read for it again either.
    assert.equal(await reads(place, () => store.news(cursor, all)), 0);
    await host.advance(10);
    await say(store, id, "later");
    assert.deepEqual(told(await store.news(cursor, all)), [`${id} comment later`]);
  });

  test("what cannot be read now is news once it can", async () => {
    const place = memoryStore();
    const { store, host } = place;
    const [one, other] = [await ticketIn("planning", store), await ticketIn("planning", store)];
    const { cursor } = await store.news({}, all);
    for (const id of [one, other]) await say(store, id, "new");
    const item = await textAt(place, `${one}/item.md`);
    await host.files.replace(`${root}/${one}/item.md`, Buffer.from("<<<<<<<\n"));
    place.links.add(`${root}/${other}/thread.md`);
    assert.deepEqual(told(await store.news(cursor, all)), []);
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
