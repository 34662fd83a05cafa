/** Notifications of a feature to the model: only with the grant, bounded, and through the inbox. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonValue, YoiError } from "@yoi/base";
import { featureId, type HostAuthority, type SkippedContribution } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { openParts } from "../../../../../test/inbox/parts.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { noticeBytesMax } from "../../../src/index.ts";
import { FeatureDiagnostics } from "../../../src/feature/sinks/feature-diagnostics.ts";
import {
  FeatureNotifications,
  notificationKeyCharsMax,
  notificationsPerMinuteMax,
  positionBytesMax,
} from "../../../src/feature/sinks/notification-sink.ts";

const feature = featureId("user:a");

function notifying(options: { granted?: readonly HostAuthority[]; installed?: boolean; to?: Inbox } = {}) {
  const { granted = [{ kind: "model_notification" }], installed = true } = options;
  const host = memoryHost({ seed: 1 });
  const sent: string[] = [];
  const keys = new Set<string>();
  const skipped: SkippedContribution[] = [];
  const life = { isOver: false };
  const redact = (text: string) => text.replaceAll("hunter2", "[redacted: pin]");
  const inbox: { failure: Error | null; position: JsonValue | null } = { failure: null, position: null };
  const diagnostics = new FeatureDiagnostics({ redact });
  const notifications = new FeatureNotifications({
    feature,
    grants: { granted, denied: [] },
    notifier: {
      notify: async (source, message, told) => {
        if (inbox.failure !== null) throw inbox.failure;
        await options.to?.accept({ source, message });
        const duplicate = told !== null && keys.has(told.key);
        if (told !== null) keys.add(told.key);
        if (!duplicate) sent.push(`${source}: ${message}${told === null ? "" : ` ${JSON.stringify(told)}`}`);
        return { duplicate };
      },
      position: () => inbox.position,
      keepPosition: async (_source, position) => {
        if (inbox.failure !== null) throw inbox.failure;
        inbox.position = position;
      },
    },
    diagnostics,
    skipped: (entry) => skipped.push(entry),
    clock: host.clock,
    redact,
    life,
  });
  if (installed) notifications.open();
  return { host, sent, skipped, life, inbox, diagnostics, sink: notifications.sink };
}

async function failure(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof YoiError ? { code: error.code, message: error.message, cause: error.cause } : error;
}

test("A2-45: with the grant a notification reaches the inbox, control characters made visible, with the feature as its source", async () => {
  const { sent, skipped, diagnostics, sink } = notifying();
  await sink.notifyModel("two files\nchanged");
  await sink.notifyModel("\u001b[2J\tcolumns\r\n\u202e");
  assert.deepEqual(sent, ["user:a: two files\nchanged", "user:a: \\u001b[2J\tcolumns\\u000d\n\\u202e"]);
  assert.deepEqual([skipped, diagnostics.all], [[], []]);
  assert.deepEqual(Reflect.ownKeys(sink), ["notifyModel", "position", "keepPosition"]);
  assert.ok(Object.isFrozen(sink));
});

test("A2-45, F-14: without the grant nothing is sent, it is said once that it was not, and every call throws", async () => {
  const others: readonly HostAuthority[] = [
    { kind: "network", hosts: ["a.org"] },
    { kind: "pod_management" },
  ];
  for (const installed of [true, false]) {
    const { sent, skipped, sink } = notifying({ granted: others, installed });
    for (let n = 0; n < 3; n += 1) {
      assert.deepEqual(await failure(sink.notifyModel("hello")), {
        code: "authority_denied",
        message: "user:a may not notify the model: it was not granted model_notification.",
        cause: undefined,
      });
    }
    assert.deepEqual(sent, []);
    assert.deepEqual(skipped, [
      { kind: "notification", name: "notifyModel", reason: "model_notification is not granted" },
    ]);
  }
});

test("during the installation a notification is skipped, with a diagnostic, and the installation goes on", async () => {
  const { sent, skipped, diagnostics, sink } = notifying({ installed: false });
  await sink.notifyModel("hello");
  await sink.notifyModel("hello again");
  assert.deepEqual(sent, []);
  assert.deepEqual(skipped, [
    {
      kind: "notification",
      name: "notifyModel",
      reason: "a notification during the installation is not sent",
    },
  ]);
  assert.deepEqual(diagnostics.all[0], {
    severity: "warning",
    message: "A notification was given during the installation, and is not sent.",
  });
});

/** The inbox of a Pod that takes all it is sent. */
async function realInbox() {
  return openParts({ host: memoryHost({ seed: 2 }), scenario: "steps: []" });
}

test("A2-51, F-10: a notification has at most 16 KiB, at n and n+1 bytes, and says something", async () => {
  const { inbox, close } = await realInbox();
  const { sent, sink } = notifying({ to: inbox });
  const most = `${"x".repeat(noticeBytesMax - 2)}é`;
  await sink.notifyModel(most);
  assert.deepEqual(sent, [`user:a: ${most}`]);
  assert.deepEqual(await failure(sink.notifyModel(`${most}x`)), {
    code: "limit_exceeded",
    message: "The notification from user:a has 16385 bytes, and the limit is 16384: make it shorter.",
    cause: undefined,
  });
  for (const said of ["", " \n"]) {
    assert.deepEqual(await failure(sink.notifyModel(said)), {
      code: "usage",
      message: "The notification from user:a says nothing: give it a text.",
      cause: undefined,
    });
  }
  for (const said of [1, undefined, { toString: () => "hello" }]) {
    assert.deepEqual(await failure(sink.notifyModel(said as string)), {
      code: "feature_invalid",
      message: "A notification of user:a is no text: nothing is sent.",
      cause: undefined,
    });
  }
  assert.deepEqual([sent.length, inbox.waiting], [1, 1]);
  await close();
});

test("A2-50: 32 notifications a minute are sent, and what was refused does not count", async () => {
  const { host, sent, sink } = notifying();
  for (let n = 1; n <= notificationsPerMinuteMax; n += 1) await sink.notifyModel(`${n}`);
  assert.deepEqual(await failure(sink.notifyModel("more")), {
    code: "too_often",
    message:
      "user:a has sent 32 notifications in the last minute, the most there can be: send it later, or say more with one.",
    cause: undefined,
  });
  await host.advance(59_999);
  assert.notEqual(await failure(sink.notifyModel("too early")), null);
  await host.advance(1);
  await sink.notifyModel("again");
  assert.equal(sent.length, notificationsPerMinuteMax + 1);
});

test("A2-49: no known secret is sent to the model, and what stands for one counts", async () => {
  const { inbox, close } = await realInbox();
  const { sent, sink } = notifying({ to: inbox });
  await sink.notifyModel("the pin is hunter2");
  assert.deepEqual(sent, ["user:a: the pin is [redacted: pin]"]);
  const many = "hunter2".repeat(noticeBytesMax / 8);
  assert.ok(many.length < noticeBytesMax);
  const refused = await failure(sink.notifyModel(many));
  assert.ok(typeof refused === "object" && refused !== null && "code" in refused);
  assert.equal(refused.code, "limit_exceeded");
  await close();
});

test("what the inbox refuses reaches the feature as a code and a sentence; after the end nothing is sent", async () => {
  const { sent, life, inbox, sink } = notifying();
  inbox.failure = new YoiError("inbox_full", "The inbox is full.", { cause: { of: "the host" } });
  assert.deepEqual(await failure(sink.notifyModel("hello")), {
    code: "inbox_full",
    message: "The inbox is full.",
    cause: undefined,
  });
  inbox.failure = null;
  life.isOver = true;
  assert.deepEqual(await failure(sink.notifyModel("hello")), {
    code: "authority_denied",
    message: "user:a can notify nobody any more: what was granted to it has ended.",
    cause: undefined,
  });
  assert.deepEqual(sent, []);
});

test("a key has 1 to 96 characters and a position 64 KiB at most, at n and n+1; each is read once, and neither is the feature's object", async () => {
  const { sent, inbox, sink } = notifying();
  const key = "k".repeat(notificationKeyCharsMax);
  const given = { seen: [1] };
  await sink.notifyModel("hello", { key, position: given });
  assert.deepEqual(sent, [`user:a: hello {"key":"${key}","position":{"seen":[1]}}`]);
  const invalid: readonly unknown[] = [
    { key: `${key}k`, position: null },
    { key: "", position: null },
    { key: "\ud800", position: null },
    { key: 1, position: null },
    { position: null },
    null,
    { key: "k" },
    { key: "k", position: 1n },
  ];
  for (const told of invalid) {
    const refused = await failure(sink.notifyModel("hello", told as never));
    assert.equal(Object(refused)["code"], "feature_invalid", String(Object(told)["key"]));
  }
  const most = "x".repeat(positionBytesMax - 2);
  await sink.keepPosition(most);
  assert.equal(inbox.position, most);
  for (const call of [
    () => sink.keepPosition(`${most}x`),
    () => sink.notifyModel("hello", { key: "k", position: `${most}x` }),
  ])
    assert.deepEqual(await failure(call()), {
      code: "limit_exceeded",
      message: "The position of user:a has 65537 bytes as JSON; the most it can have is 65536.",
      cause: undefined,
    });
  assert.deepEqual([sent.length, inbox.position], [1, most]);
  inbox.position = given;
  const position = sink.position();
  assert.deepEqual(position, given);
  assert.ok(position !== given && Object.isFrozen(position));
});

test("how far a feature has told is not for one without the grant, nor after the end; during the installation nothing is kept", async () => {
  const ungranted = notifying({ granted: [] });
  assert.equal(Object(await failure(ungranted.sink.keepPosition(1)))["code"], "authority_denied");
  assert.throws(() => ungranted.sink.position(), { code: "authority_denied" });
  const over = notifying();
  over.life.isOver = true;
  assert.throws(() => over.sink.position(), { code: "authority_denied" });
  const early = notifying({ installed: false });
  await early.sink.keepPosition(1);
  assert.deepEqual([early.inbox.position, early.skipped.length], [null, 1]);
});

test("what is there already under its key does not count for the minute", async () => {
  const { sent, sink } = notifying();
  for (let n = 0; n <= 2 * notificationsPerMinuteMax; n += 1)
    await sink.notifyModel("again", { key: "k", position: n });
  for (let n = 1; n < notificationsPerMinuteMax; n += 1) await sink.notifyModel(`${n}`);
  assert.equal(Object(await failure(sink.notifyModel("more")))["code"], "too_often");
  assert.equal(sent.length, notificationsPerMinuteMax);
});

test("what the inbox refused does not count for the minute, what it took before does", async () => {
  const { sent, inbox, sink } = notifying();
  await sink.notifyModel("first");
  inbox.failure = new YoiError("inbox_full", "The inbox is full.");
  for (let n = 0; n <= notificationsPerMinuteMax; n += 1)
    assert.equal(Object(await failure(sink.notifyModel("refused")))["code"], "inbox_full");
  inbox.failure = null;
  for (let n = 2; n < notificationsPerMinuteMax; n += 1) await sink.notifyModel(`${n}`);
  await sink.keepPosition(1);
  assert.equal(Object(await failure(sink.keepPosition(2)))["code"], "too_often");
  assert.deepEqual([sent.length, inbox.position], [notificationsPerMinuteMax - 1, 1]);
});
