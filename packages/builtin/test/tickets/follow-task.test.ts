/** What a Pod is told of tickets: what others did, each event once, in order, over restarts and refusals. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8Length, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { TicketStore } from "@yoi/tickets";
import { overriding } from "../../../../test/support/overriding.ts";
import { failureWaitMsMax } from "../../src/tickets/follow-task.ts";
import { cursorTicketsMax } from "../../src/tickets/news-cursor.ts";
import { newsTextBytesMax } from "../../src/tickets/news-text.ts";
import { messages, person, Remembered, rig, storeOn } from "./support.ts";

const say = (store: TicketStore, ticket: string, body: string) =>
  store.add(ticket, { kind: "comment", body }, person);
/** The bodies that were told, in order; each is one word on a line of its own. */
const bodies = (remembered: Remembered) =>
  messages(remembered).flatMap((message) =>
    [...message.matchAll(/^ {2}(body-[\w-]+)$/gm)].map(([, body]) => body),
  );

test("A2-70: a Pod hears of the tickets that it made, changed or asked to follow, and of no others; its own events are no news", async () => {
  const { host, store, call, look, stop, features, remembered, ticketIn } = await rig({ pod: "desk" });
  const other = await ticketIn("planning", "Another");
  const shown = await ticketIn("planning", "Shown");
  features.start();
  const made = String((await call("TicketCreate", { title: "Mine", body: "b" })).record?.["ticket"]);
  await call("TicketComment", { ticket: made, kind: "comment", body: "body-own" });
  await call("TicketShow", { ticket: shown, follow: true });
  await look();
  assert.deepEqual(messages(remembered), []);
  await say(store, other, "body-unheard");
  await say(store, made, "body-1");
  await store.transition(made, { to: "ready" }, person);
  await look();
  await say(store, shown, "body-2");
  await look();
  assert.deepEqual(bodies(remembered), ["body-1", "body-2"]);
  assert.match(messages(remembered)[0] ?? "", /state_changed by hare \(user\) at \S+: planning to ready$/m);
  await call("TicketShow", { ticket: made, follow: false });
  await say(store, made, "body-no-more");
  await look();
  await call("TicketComment", { ticket: made, kind: "comment", body: "body-again" });
  await say(store, made, "body-3");
  await look();
  assert.deepEqual(bodies(remembered), ["body-1", "body-2", "body-3"]);
  const [first] = remembered.told;
  assert.match(first?.told?.key ?? "", new RegExp(`^${made}/[0-9a-f]{12}$`));
  await stop();
  assert.ok(host.clock.now() > 0);
});

test("an orchestrator hears of every ticket from when it first starts, and of those that wait for it in queued", async () => {
  const { store, look, stop, features, remembered, ticketIn } = await rig({
    role: "orchestrator",
    pod: "lead",
  });
  const waiting = await ticketIn("queued", "It waits");
  await say(store, waiting, "body-behind-the-gate");
  const old = await ticketIn("inprogress", "It is known");
  features.start();
  await look();
  const [message = ""] = messages(remembered);
  assert.match(
    message,
    new RegExp(
      `^Ticket ${waiting}: It waits\n[0-9A-Z]{13} state_changed by hare \\(user\\) at \\S+: ready to queued$`,
      "m",
    ),
  );
  assert.ok(!message.includes(old));
  assert.deepEqual(bodies(remembered), ["body-behind-the-gate"]);
  await say(store, old, "body-1");
  const fresh = await ticketIn("planning", "New");
  await look();
  assert.deepEqual(bodies(remembered), ["body-behind-the-gate", "body-1"]);
  assert.ok(messages(remembered).at(-1)?.includes(`Ticket ${fresh}: New\n`));
  await stop();
});

test("what was done while the Pod was down is told when it is up, once; also where nothing had been told before", async () => {
  const host = memoryHost({ seed: 3 });
  const remembered = new Remembered();
  const store = storeOn(host);
  const up = () => rig({ host, store, remembered, role: "orchestrator", pod: "lead" });
  const first = await up();
  const ticket = await first.ticketIn("planning");
  first.features.start();
  await first.look();
  await first.stop();
  assert.deepEqual([messages(remembered), remembered.position === null], [[], false]);
  await say(store, ticket, "body-1");
  for (let n = 2; n < 4; n += 1) {
    const next = await up();
    next.features.start();
    await next.look();
    await next.stop();
    await say(store, ticket, `body-${n}`);
  }
  const last = await up();
  last.features.start();
  await last.look();
  assert.deepEqual(bodies(remembered), ["body-1", "body-2", "body-3"]);
  await last.stop();
});

test("a follower that begins anew goes on from what is on record, and from its records where nothing was told", async () => {
  const host = memoryHost({ seed: 4 });
  const remembered = new Remembered();
  const store = storeOn(host);
  const first = await rig({ host, store, remembered });
  const made = String((await first.call("TicketCreate", { title: "Mine", body: "b" })).record?.["ticket"]);
  await first.stop();
  await say(store, made, "body-1");
  const second = await rig({ host, store, remembered });
  second.state.restore(first.records, null);
  second.features.start();
  await second.look();
  const snapshot = second.state.snapshot();
  await second.stop();
  await say(store, made, "body-2");
  const third = await rig({ host, store, remembered });
  third.state.restore([], { version: 1, value: snapshot });
  third.features.start();
  await third.look();
  await third.stop();
  assert.deepEqual(bodies(remembered), ["body-1", "body-2"]);
});

test("where the inbox is full or the minute is used up it waits, and tells all of it later, in order and once", async () => {
  const { store, look, stop, features, remembered, call } = await rig();
  const made = String((await call("TicketCreate", { title: "Mine", body: "b" })).record?.["ticket"]);
  features.start();
  for (let n = 0; n < 5; n += 1) remembered.refusals.push(new YoiError("inbox_full", "full"));
  for (let n = 0; n < 5; n += 1) remembered.refusals.push(new YoiError("too_often", "32 in a minute"));
  await say(store, made, "body-1");
  await look(20_000);
  await say(store, made, "body-2");
  assert.deepEqual(bodies(remembered), []);
  await look(60_000);
  assert.deepEqual(bodies(remembered), ["body-1", "body-2"]);
  assert.deepEqual(features.reports[1]?.diagnostics, []);
  await stop();
});

test("many news are as many notifications as they need, each within its bytes; a body that has no room is left out, and never the event", async () => {
  const { store, look, stop, features, remembered, call } = await rig();
  const made = String((await call("TicketCreate", { title: "Mine", body: "b" })).record?.["ticket"]);
  const count = 90;
  for (let n = 0; n < count; n += 1) await say(store, made, `body-${n}\n${"😀".repeat(300)}`);
  features.start();
  await look(20_000);
  assert.deepEqual(
    bodies(remembered),
    Array.from({ length: count }, (_, n) => `body-${n}`),
  );
  for (const message of messages(remembered)) assert.ok(utf8Length(message) <= newsTextBytesMax);
  assert.ok(remembered.told.length <= 12, `${remembered.told.length} notifications`);
  assert.match(messages(remembered)[0] ?? "", /\(cut: it has 12\d\d bytes, TicketShow has more\)/);
  // As the host counts it, with what stands for secrets.
  const last = async (body: string, refusals: number) => {
    for (let n = 0; n < refusals; n += 1)
      remembered.refusals.push(new YoiError("limit_exceeded", "too long"));
    await say(store, made, body);
    await look();
    return messages(remembered).at(-1) ?? "";
  };
  const cut = await last(`body-last\n${"x".repeat(900)}`, 4);
  assert.ok(utf8Length(cut) <= 1_024);
  assert.match(cut, /^[0-9A-Z]{13} comment by hare \(user\) at \S+$/m);
  assert.match(
    await last("body-none", 5),
    new RegExp(`^Ticket ${made}: something happened that is too long`, "m"),
  );
  assert.equal((await last("body-after", 0)).match(/^ {2}body-after$/m)?.length, 1);
  await stop();
});

test("where tickets cannot be read that is said once, and told later; it never ends by itself", async () => {
  const host = memoryHost({ seed: 5 });
  const real = storeOn(host);
  let failures = 4;
  const store = overriding(real, {
    news: async (...asked: Parameters<TicketStore["news"]>) => {
      if ((failures -= 1) >= 0) throw new YoiError("io_failed", "The disk is gone.");
      return real.news(...asked);
    },
  });
  const { features, call, look, stop, remembered } = await rig({ host, store });
  const made = String((await call("TicketCreate", { title: "Mine", body: "b" })).record?.["ticket"]);
  features.start();
  await say(real, made, "body-1");
  await look(40_000);
  assert.deepEqual(bodies(remembered), ["body-1"]);
  assert.deepEqual(features.reports[1]?.diagnostics, [
    {
      severity: "warning",
      message: "What happens to tickets cannot be told now, and is told later: The disk is gone.",
    },
  ]);
  assert.deepEqual(
    features.reports[1]?.background_tasks.map(({ state }) => state),
    ["running"],
  );
  await stop();
});

test("what the Pod wrote is no news to it, and what another Pod of its name did is; what it wrote and never knew that it did is", async () => {
  const host = memoryHost({ seed: 6 });
  const store = storeOn(host);
  const remembered = new Remembered();
  const lead = { host, store, role: "orchestrator", pod: "lead" } as const;
  const [mine, other] = [await rig({ ...lead, remembered }), await rig(lead)];
  const ticket = await mine.ticketIn("planning");
  mine.features.start();
  await mine.look();
  const say = (body: string) => ({ ticket, kind: "comment", body });
  await mine.call("TicketComment", say("body-own"));
  await other.call("TicketComment", say("body-other"));
  await mine.look();
  assert.deepEqual(bodies(remembered), ["body-other"]);
  await mine.call("TicketComment", say("body-known"));
  await mine.stop();
  // Its process was killed before the result of the call was on record.
  await other.call("TicketComment", say("body-unknown"));
  const next = await rig({ ...lead, remembered });
  next.state.restore(mine.records, null);
  next.features.start();
  await next.look();
  assert.deepEqual(bodies(remembered), ["body-other", "body-unknown"]);
  await next.stop();
});

test("what the Pod is writing while the threads are looked at is its own", async () => {
  const host = memoryHost({ seed: 7 });
  const real = storeOn(host);
  const written = Promise.withResolvers<void>();
  // The event stands in the thread, and the call has no answer yet.
  const store = overriding(real, {
    add: async (...asked: Parameters<TicketStore["add"]>) => {
      const event = await real.add(...asked);
      await written.promise;
      return event;
    },
  });
  const { features, call, look, stop, remembered, ticketIn } = await rig({
    host,
    store,
    role: "orchestrator",
  });
  const ticket = await ticketIn("planning");
  features.start();
  await look();
  const calling = call("TicketComment", { ticket, kind: "comment", body: "body-own" });
  await look(2_000);
  written.resolve();
  await calling;
  await say(real, ticket, "body-1");
  await look();
  assert.deepEqual(bodies(remembered), ["body-1"]);
  await stop();
});

test(`where the service fails it is asked again later and later, at most ${failureWaitMsMax} ms apart`, async () => {
  const host = memoryHost({ seed: 10 });
  const real = storeOn(host);
  const asked: number[] = [];
  const store = overriding(real, {
    news: async () => {
      asked.push(host.clock.monotonic());
      throw new YoiError("io_failed", "The disk is gone.");
    },
  });
  const { features, stop } = await rig({ host, store });
  features.start();
  for (let n = 0; n < 300; n += 1) await host.advance(1_000);
  assert.deepEqual(
    asked.slice(1).map((ms, n) => ms - (asked[n] ?? 0)),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, failureWaitMsMax, failureWaitMsMax, failureWaitMsMax],
  );
  await stop();
});

test("a position of another yoi is said, and an orchestrator begins anew", async () => {
  const remembered = new Remembered();
  remembered.position = { version: 9 };
  const { features, look, stop } = await rig({ role: "orchestrator", remembered });
  features.start();
  await look();
  assert.match(
    features.reports[1]?.diagnostics[0]?.message ?? "",
    /on record in a form that this yoi does not know/,
  );
  assert.deepEqual(remembered.position, { known: {}, since_ms: null });
  await stop();
});

test(`of more than ${cursorTicketsMax} tickets the quiet ones are known together, and news of any of them are told once`, async () => {
  const { store, look, stop, features, remembered, host } = await rig({ role: "orchestrator" });
  // Each is one event in a thread: as many as there are, without as many files.
  const ids = Array.from(
    { length: cursorTicketsMax + 40 },
    (_, n) => `00001${n.toString().padStart(8, "0")}`,
  );
  const threads = new Map(ids.map((id) => [id, [id]]));
  const markOf = (id: string) => `${parseInt(id.slice(5), 36)}.1.${id.slice(1).toLowerCase()}`;
  const news: TicketStore["news"] = async ({ known, sinceMs }, { max }) => {
    const found = [...threads].flatMap(([ticket, thread]) => {
      const from = thread.findIndex((id) => markOf(id) === known[ticket]) + 1;
      const fresh = thread
        .slice(from)
        .filter((id) => from > 0 || Number.parseInt(markOf(id)) > (sinceMs ?? -1));
      const event = { kind: "comment", author: "hare", role: "user" as const, at: "" };
      return fresh.map((id) => ({
        ticket,
        title: "t",
        state: "planning" as const,
        mark: markOf(id),
        event: { ...event, id, body: `body-${ticket}-${id}` },
      }));
    });
    return { news: found.slice(0, max), more: found.length > max, unreadable: [] };
  };
  const newsFromNow: TicketStore["newsFromNow"] = async () => ({
    known: Object.fromEntries([...threads].map(([ticket, thread]) => [ticket, markOf(thread.at(-1) ?? "")])),
    waiting: [],
  });
  const many = overriding(store, { news, newsFromNow });
  await stop();
  const big = await rig({ host, store: many, role: "orchestrator", remembered });
  big.features.start();
  await look();
  assert.deepEqual(messages(remembered), []);
  const [oldest = "", newest = ""] = [ids[0], ids.at(-1)];
  threads.get(oldest)?.push("00002000000A0");
  threads.get(newest)?.push("00002000000A1");
  await look();
  const told = [`body-${oldest}-00002000000A0`, `body-${newest}-00002000000A1`];
  assert.deepEqual(bodies(remembered), told);
  await big.stop();
  threads.get(ids[1] ?? "")?.push("00002000000A2");
  const next = await rig({ host, store: many, role: "orchestrator", remembered });
  next.features.start();
  await look();
  assert.deepEqual(bodies(remembered), [...told, `body-${ids[1]}-00002000000A2`]);
  await next.stop();
  assert.equal(features.reports.length, 2);
});
