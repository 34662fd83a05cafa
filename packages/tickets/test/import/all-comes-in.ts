/** That everything of an old layout is found again in the tickets that came of it. */
import assert from "node:assert/strict";
import { memoryHost, type MemoryHost } from "@yoi/host";
import { createTicketStore, type Ticket, type TicketStore } from "../../src/index.ts";
import { deskOf, hare, nowMs, type Odd, readTree, root } from "../doctor/tree.ts";
import { itemText, oldRoot, type OldTicket, plantOld, threadText } from "./old-tree.ts";

export async function planted(
  tickets: readonly OldTicket[],
  odd: Odd = {},
): Promise<{ host: MemoryHost; store: TicketStore }> {
  const host = memoryHost({ seed: 3, startMs: nowMs });
  for (const bucket of ["open", "pending", "closed"]) await host.files.makeDirectory(`${oldRoot}/${bucket}`);
  await plantOld(host, tickets);
  return { host, store: createTicketStore(deskOf(host, odd)) };
}

/** What stands in the root but for the lock. */
export async function stands(host: MemoryHost): Promise<Record<string, string>> {
  const { ".lock": _, ...files } = await readTree(host, root);
  return files;
}

/** Every file that came in, by the path that it had. */
function kept(files: Readonly<Record<string, string>>, ticket: Ticket): (name: string) => boolean {
  return (content) =>
    Object.entries(files).some(
      ([path, text]) => path.startsWith(`${ticket.id}/artifacts/legacy`) && text === content,
    );
}

/** Lines of front matter that are carried over as they are meant. */
const sayable = ["reviewers: [x, y]", "state: ready", "legacy: x"];

/** It is, doctor finds nothing in them, and a second import changes nothing. */
export async function assertAllComesIn(tickets: readonly OldTicket[]): Promise<void> {
  const { host, store } = await planted(tickets);
  const report = await store.importOld(oldRoot, hare);
  assert.deepEqual(report.refused, []);
  assert.equal(report.imported.length, tickets.length);
  const files = await stands(host);
  for (const old of tickets) {
    const { id } = report.imported.find(({ from }) => from === `${old.bucket}/${old.name}`) ?? { id: "" };
    const ticket = await store.show(id);
    const isKept = kept(files, ticket);
    const latin = (text: string): string => Buffer.from(text).toString("latin1");
    assert.equal(ticket.title, old.title);
    assert.equal(ticket.body, old.body);
    assert.equal(ticket.created_at, old.createdAt);
    const isSaid = old.odd.every((one) => sayable.includes(one));
    assert.ok(isSaid || isKept(latin(itemText(old))), "front matter that no ticket can have is kept");
    for (const [path, bytes] of Object.entries(old.artifacts))
      assert.equal(files[`${id}/artifacts/${path}`], Buffer.from(bytes).toString("latin1"), path);
    assert.ok(Object.hasOwn(files, `${id}/artifacts/empty/folder/`));
    const isThreadKept = isKept(latin(threadText(old)));
    if (old.noise.some((text) => text !== "")) assert.ok(isThreadKept, "what belongs to no event is kept");
    if (old.resolution !== null) {
      const text = Buffer.from(old.resolution).toString("latin1");
      assert.ok(files[`${id}/resolution.md`] === text || isKept(text), "the resolution is kept");
    }
    if (isThreadKept) continue;
    const found = ticket.events.slice(0, -1);
    assert.deepEqual(
      found.map(({ kind, author, at, status }) => ({
        kind,
        author,
        at,
        ...(status === undefined ? {} : { status }),
      })),
      old.events.map(({ kind, author, at, status }) => ({
        kind,
        author,
        at,
        ...(status === undefined ? {} : { status }),
      })),
    );
    for (const [index, { body }] of old.events.entries())
      assert.ok(found[index]?.body.endsWith(body), `the body of event ${index + 1}`);
  }
  assert.deepEqual((await store.doctor({ fix: false })).problems, []);
  const again = await store.importOld(oldRoot, hare);
  assert.deepEqual(again.imported, []);
  assert.equal(again.known.length, tickets.length);
  assert.deepEqual(await stands(host), files, "a second import changes nothing");
}
