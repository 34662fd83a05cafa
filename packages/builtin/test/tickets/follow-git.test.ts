/** Following threads that git or other tools changed: what was put in is told, what was known is not told again, and nothing ends it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { threadBytesMax, type TicketStore } from "@yoi/tickets";
import { overriding } from "../../../../test/support/overriding.ts";
import { messages, person, Remembered, rig, root, storeOn } from "./support.ts";

const say = (store: TicketStore, ticket: string, body: string) =>
  store.add(ticket, { kind: "comment", body }, person);
/** The bodies that were told, in order; each is one word on a line of its own. */
const bodies = (remembered: Remembered) =>
  messages(remembered).flatMap((message) =>
    [...message.matchAll(/^ {2}(body-[\w-]+)$/gm)].map(([, body]) => body),
  );

test("of a history that git put together anew a Pod is told once, and of what comes behind it as ever", async () => {
  const { host, store, look, stop, features, remembered, ticketIn } = await rig({ role: "orchestrator" });
  const ticket = await ticketIn("planning", "Rebased");
  const path = `${root}/${ticket}/thread.md`;
  const begun = (await host.files.read(path)) ?? assert.fail();
  features.start();
  await look();
  await say(store, ticket, "body-gone");
  await look();
  await host.files.replace(path, begun);
  await look();
  assert.equal(messages(remembered).length, 1);
  await store.transition(ticket, { to: "ready" }, person);
  await look();
  await say(store, ticket, "body-1");
  await look();
  assert.deepEqual(bodies(remembered), ["body-gone", "body-1"]);
  assert.match(
    messages(remembered)[1] ?? "",
    new RegExp(`^Ticket ${ticket}: Rebased\nIts history was put together anew, .* it is ready now\\.`, "m"),
  );
  assert.equal(messages(remembered).length, 3);
  await stop();
});

test("an event of another tool, whatever its id, is told, and what comes behind it; a position that names one heals", async () => {
  for (const id of ["note-1", "0ZZZZZZZZZZZZ", "a".repeat(90), "@1"]) {
    const host = memoryHost({ seed: 8 });
    const store = storeOn(host);
    const remembered = new Remembered();
    const up = () => rig({ host, store, remembered, role: "orchestrator" });
    const first = await up();
    const [ticket, other] = [await first.ticketIn("planning"), await first.ticketIn("planning")];
    first.features.start();
    await first.look();
    const path = `${root}/${ticket}/thread.md`;
    const odd = `\n<!-- event: comment id: ${id} author: anna at: 2026-01-01T00:00:00Z -->\n\nbody-odd\n\n---\n`;
    await host.files.replace(
      path,
      Buffer.concat([(await host.files.read(path)) ?? Buffer.of(), Buffer.from(odd)]),
    );
    await say(store, other, "body-1");
    await first.look();
    await say(store, ticket, "body-2");
    await first.look();
    assert.deepEqual(bodies(remembered), ["body-odd", "body-1", "body-2"]);
    await first.stop();
    remembered.position = {
      known: { ...Object(Object(remembered.position)["known"]), [ticket]: id },
      since_ms: null,
    };
    const next = await up();
    next.features.start();
    await next.look();
    assert.match(messages(remembered).at(-1) ?? "", /^Its history was put together anew/m);
    await say(store, ticket, "body-3");
    await next.look();
    assert.deepEqual(bodies(remembered), ["body-odd", "body-1", "body-2", "body-3"]);
    await next.stop();
  }
});

test("a follower whose ticket git changes behind its own event is told once, at once, over restarts, and does not spin", async () => {
  const host = memoryHost({ seed: 9 });
  const real = storeOn(host);
  let looks = 0;
  const store = overriding(real, {
    news: (...asked: Parameters<TicketStore["news"]>) => ((looks += 1), real.news(...asked)),
  });
  const remembered = new Remembered();
  const first = await rig({ host, store, remembered, role: "coder" });
  const ticket = await first.ticketIn("planning");
  const path = `${root}/${ticket}/thread.md`;
  const read = async () => Buffer.from((await host.files.read(path)) ?? assert.fail()).toString();
  const begun = await read();
  await say(real, ticket, "body-colleague");
  const colleagues = (await read()).slice(begun.length);
  await host.files.replace(path, Buffer.from(begun));
  await host.advance(10);
  await first.call("TicketComment", { ticket, kind: "comment", body: "body-own" });
  first.features.start();
  await first.look();
  await host.files.replace(path, Buffer.from((await read()) + colleagues));
  await first.look(1_000);
  assert.deepEqual(bodies(remembered), ["body-colleague"]);
  looks = 0;
  await first.look(60_000);
  assert.ok(looks <= 61, `${looks} looks in a minute`);
  await first.stop();
  const next = await rig({ host, store, remembered, role: "coder" });
  next.state.restore(first.records, null);
  next.features.start();
  await say(real, ticket, "body-later");
  await next.look();
  assert.deepEqual(bodies(remembered), ["body-colleague", "body-later"]);
  await next.stop();
});

test("a ticket that cannot be read is said to a person once, and told when it can; one that is gone is no news, and known when it is back", async () => {
  const { host, store, look, stop, features, remembered, call } = await rig();
  const ticket = String((await call("TicketCreate", { title: "Mine", body: "b" })).record?.["ticket"]);
  const path = `${root}/${ticket}/thread.md`;
  features.start();
  await say(store, ticket, "body-1");
  await look();
  const whole = (await host.files.read(path)) ?? assert.fail();
  await host.files.replace(path, Buffer.concat([whole, Buffer.alloc(threadBytesMax)]));
  await look();
  const said = features.reports[1]?.diagnostics ?? [];
  assert.equal(said.length, 1);
  assert.match(said[0]?.message ?? "", new RegExp(`Ticket ${ticket} cannot be read: .*thread\\.md`));
  await host.files.removeFile(path);
  await look();
  await host.files.replace(path, whole);
  await say(store, ticket, "body-2");
  await look();
  assert.deepEqual(bodies(remembered), ["body-1", "body-2"]);
  assert.equal(features.reports[1]?.diagnostics.length, 1);
  await stop();
});
