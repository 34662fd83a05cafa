/** The inbox: what is accepted is durable and waits its turn, what is not is nowhere, and nothing is delivered twice. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SystemItem } from "@yoi/base";
import { memoryHost, noFaults } from "@yoi/host";
import { entriesOf, logOf, openParts, storedState } from "../../../../test/inbox/parts.ts";
import {
  drainedBytesMax,
  inboxMax,
  noticeBytesMax,
  noticeReasonCharsMax,
  noticeSourceCharsMax,
} from "../../src/index.ts";

const scenario = JSON.stringify({ steps: Array.from({ length: 9 }, (_, n) => ({ text: `Answer ${n}.` })) });
const machine = () => ({ host: memoryHost({ seed: 1 }), scenario });
const say = (message: string) => ({ source: "project:ci", message });
const bodies = (waiting: readonly { readonly item: SystemItem }[]) => waiting.map(({ item }) => item.body);

test("what is accepted is on the disk before its sender hears of it, as it will enter history", async () => {
  const m = machine();
  const parts = await openParts(m);
  await parts.inbox.accept({ source: "project:ci", message: "The build is red.", reason: "a push" });
  const accepted = (await entriesOf(m.host)).at(-1);
  assert.ok(accepted?.kind === "inbox_accepted" && !("opaque" in accepted));
  const item = {
    type: "system_item",
    kind: "notification",
    source: "project:ci",
    reason: "a push",
    body: "The build is red.",
  };
  assert.deepEqual(accepted.item, item);
  assert.ok(Object.isFrozen(accepted.item));
  assert.deepEqual(await parts.inbox.drain(), [{ kind: "system_item", item, delivers: accepted.seq }]);
  assert.deepEqual(parts.gate.items, [], "it waits, and is not history");
  await parts.close();
});

describe("a notice that cannot be told is refused, and leaves nothing", () => {
  const long = "é".repeat(noticeBytesMax / 2);
  const cases: [string, string, string | null][] = [
    ["empty", "", "usage"],
    ["blank", " \n\t", "usage"],
    [`of ${noticeBytesMax} bytes`, long, null],
    [`of ${noticeBytesMax + 1} bytes`, `${long}x`, "limit_exceeded"],
  ];
  for (const [name, message, code] of cases) {
    test(name, async () => {
      const m = machine();
      const { inbox, gate, close } = await openParts(m);
      const before = (await logOf(m.host)).bytes;
      const accepting = inbox.accept(say(message));
      if (code === null) await accepting;
      else {
        await assert.rejects(accepting, { code, message: /project:ci/ });
        assert.ok((await logOf(m.host)).bytes.equals(before));
      }
      assert.deepEqual(bodies(gate.state.inbox), code === null ? [message] : []);
      await close();
    });
  }
});

for (const [field, max] of [
  ["source", noticeSourceCharsMax],
  ["reason", noticeReasonCharsMax],
] as const) {
  test(`the ${field} of a notice has at most ${max} characters`, async () => {
    const m = machine();
    const { inbox, gate, close } = await openParts(m);
    await inbox.accept({ ...say("news"), [field]: "x".repeat(max) });
    assert.equal(gate.state.inbox[0]?.item[field]?.length, max);
    const before = (await logOf(m.host)).bytes;
    await assert.rejects(inbox.accept({ ...say("news"), [field]: "x".repeat(max + 1) }), {
      code: "limit_exceeded",
      message: new RegExp(`${max + 1} characters, and the limit is ${max}`),
    });
    assert.ok((await logOf(m.host)).bytes.equals(before));
    assert.equal(inbox.waiting, 1);
    await close();
  });
}

describe(`one request takes ${drainedBytesMax} bytes of messages at most, and always one`, () => {
  const full = drainedBytesMax / noticeBytesMax;
  const cases: readonly (readonly [string, readonly number[], number])[] = [
    ["exactly that", Array.from({ length: full }, () => noticeBytesMax), full],
    ["one byte more", [...Array.from({ length: full }, () => noticeBytesMax), 1], full],
    ["one byte more in the last", [1, ...Array.from({ length: full }, () => noticeBytesMax)], full],
    ["one alone", [noticeBytesMax], 1],
  ];
  for (const [name, sizes, told] of cases) {
    test(name, async () => {
      const { inbox, close } = await openParts(machine());
      for (const size of sizes) await inbox.accept(say("x".repeat(size)));
      assert.deepEqual(
        (await inbox.drain()).map(({ item }) => item.body.length),
        sizes.slice(0, told),
      );
      await close();
    });
  }

  test("the rest is told in runs behind it, in order, each once", async () => {
    const m = machine();
    const parts = await openParts(m);
    const sent = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(noticeBytesMax));
    for (const message of sent) await parts.inbox.accept(say(message));
    const report = await parts.submit("go");
    assert.deepEqual([report.turns, report.followed.length, parts.inbox.waiting], [3, 2, 0]);
    assert.deepEqual(
      parts.gate.items.flatMap(({ item }) => (item.type === "system_item" ? [item.body] : [])),
      sent,
    );
    await parts.close();
  });
});

test(`${inboxMax} wait at a time, those on their way counted; the next sender is refused until some were delivered`, async () => {
  const m = machine();
  const parts = await openParts(m);
  const { inbox } = parts;
  const all = Array.from({ length: inboxMax + 3 }, (_, n) => `news ${n}`);
  const settled = await Promise.allSettled(all.map((message) => inbox.accept(say(message))));
  const refused = settled.flatMap((one, n) => (one.status === "rejected" ? [[n, one.reason.code]] : []));
  assert.deepEqual(
    refused,
    [inboxMax, inboxMax + 1, inboxMax + 2].map((n) => [n, "inbox_full"]),
  );
  assert.equal(inbox.waiting, inboxMax);
  assert.deepEqual(bodies((await storedState(m.host)).inbox), all.slice(0, inboxMax));
  await assert.rejects(inbox.accept(say("one more")), { code: "inbox_full", message: /128 .* project:ci/ });

  const [first] = await inbox.drain();
  assert.ok(first !== undefined);
  await parts.gate.append([first]);
  await inbox.accept(say("in its place"));
  await assert.rejects(inbox.accept(say("one more")), { code: "inbox_full" });
  await parts.close();

  // A full inbox is full for the next process too.
  const again = await openParts(m);
  await assert.rejects(again.inbox.accept(say("one more")), { code: "inbox_full" });
  await again.submit("go");
  assert.equal(again.inbox.waiting, 0);
  await again.inbox.accept(say("room again"));
  await again.close();
});

test("many senders at once, while entries of others are written: all there, in the order of their calls", async () => {
  const m = machine();
  const { inbox, gate, close } = await openParts(m);
  const sent = Array.from({ length: 60 }, (_, n) => `news ${n}`);
  const others = Array.from(
    { length: 20 },
    (_, n) => ({ kind: "extension", domain: "x", payload: n }) as const,
  );
  await Promise.all(
    sent.flatMap((message, n) => {
      const other = others[n];
      return [inbox.accept(say(message)), ...(other === undefined ? [] : [gate.append([other])])];
    }),
  );
  assert.deepEqual(bodies(gate.state.inbox), sent);
  assert.deepEqual(bodies((await storedState(m.host)).inbox), sent);
  await close();
});

for (const [effect, code] of [
  ["ENOSPC", "disk_full"],
  ["EIO", "log_poisoned"],
] as const) {
  test(`a notice that the disk does not take (${code}) is refused to its sender, takes no place, and comes back nowhere`, async () => {
    const m = machine();
    const { inbox, gate, close } = await openParts(m);
    await inbox.accept(say("before"));
    const { path } = await logOf(m.host);
    const fails = effect === "EIO" ? "sync" : "write";
    m.host.disk.plan = (operation) => (operation.path === path && operation.kind === fails ? effect : "pass");
    const refused = await Promise.allSettled([inbox.accept(say("a")), inbox.accept(say("b"))]);
    assert.deepEqual(
      refused.map((one) => one.status === "rejected" && one.reason.code),
      [code, code],
    );
    m.host.disk.plan = noFaults;
    assert.equal(inbox.waiting, 1);
    assert.deepEqual(bodies(gate.state.inbox), ["before"]);
    if (effect === "ENOSPC") await inbox.accept(say("after"));
    else await assert.rejects(inbox.accept(say("after")), { code });
    await close();
    m.host.crash("power");
    const after = m.host.restart();
    assert.deepEqual(
      bodies((await storedState(after)).inbox),
      effect === "ENOSPC" ? ["before", "after"] : ["before"],
    );
  });
}

test("what could not be committed is handed out again, in order, and what could is not", async () => {
  const m = machine();
  const parts = await openParts(m);
  for (const message of ["a", "b", "c"]) await parts.inbox.accept(say(message));
  const { path } = await logOf(m.host);
  m.host.disk.plan = (operation) =>
    operation.path === path && operation.kind === "write" ? "ENOSPC" : "pass";
  const first = await parts.inbox.drain();
  await assert.rejects(parts.gate.append(first), { code: "disk_full" });
  m.host.disk.plan = noFaults;
  assert.deepEqual(await parts.inbox.drain(), first);
  const [a, ...rest] = first;
  assert.ok(a !== undefined);
  await parts.gate.append([a]);
  assert.deepEqual(await parts.inbox.drain(), rest);
  await parts.close();
});

test("while the Pod closes a sender is refused, and what waits waits for the next owner", async () => {
  const m = machine();
  const parts = await openParts(m);
  await parts.inbox.accept(say("in time"));
  await parts.close();
  await assert.rejects(parts.inbox.accept(say("too late")), { code: "cancelled", message: /next owner/ });
  assert.deepEqual(bodies((await storedState(m.host)).inbox), ["in time"]);
});
