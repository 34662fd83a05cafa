/** Restoring a Pod to which notices came: how its dead notification run is marked, what of it is open, and that nothing is told twice. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EntryBody } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { entriesOf, openParts, type PartsOptions, spoken, unlimited } from "../../../../test/inbox/parts.ts";
import { simulatedPod, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { hasUnfinishedTurn } from "../../src/turn/accept-input.ts";

const scenario = JSON.stringify({ steps: [{ text: "First." }, { text: "I heard." }, { text: "Third." }] });

function machine(): PartsOptions {
  return { host: memoryHost({ seed: 3 }), leases: new Map(), scenario };
}

/** Appends what a process wrote that died right behind it. The bodies may name the seq of the first of them. */
async function leaveBehind({ host }: PartsOptions, bodies: (first: number) => readonly EntryBody[]) {
  const { sessions, pods } = simulatedStores(host, new Map());
  const record = await pods.read(simulatedPod);
  assert.ok(record?.pointer.state === "active");
  const { writer } = await sessions.open(record.pointer, { metadataEpoch: record.epoch, version: "0" });
  await writer.append(bodies(writer.head.seq + 1));
  await writer.close();
}

const item = (body: string) =>
  ({ type: "system_item", kind: "notification", source: "project:ci", body }) as const;
const accepted = (body: string): EntryBody => ({ kind: "inbox_accepted", item: item(body) });
const delivered = (delivers: number, body: string): EntryBody => ({
  kind: "system_item",
  item: item(body),
  delivers,
});
const invoke: EntryBody = { kind: "invoke", trigger: "notify" };
const ofChild: EntryBody = { kind: "invoke", trigger: "pod_event" };

describe("a notification run whose process died", () => {
  for (const [by, begun] of [
    ["resume", invoke],
    ["submit", invoke],
    ["resume", ofChild],
  ] as const) {
    test(`before it delivered anything${begun === ofChild ? " of a child" : ""}: nothing of it is left to go on with, and a ${by} tells the model each notice once`, async () => {
      const m = machine();
      const parts = await openParts(m);
      await parts.submit("go");
      await parts.close();
      await leaveBehind(m, () => [accepted("a"), accepted("b"), begun]);
      const again = await openParts(m);
      const last = (await entriesOf(m.host)).at(-1);
      assert.ok(last?.kind === "run_completed" && !("opaque" in last));
      assert.deepEqual(
        [last.result, last.detail],
        ["aborted", "the process that began it ended before it delivered anything"],
      );
      assert.deepEqual([again.drive.state, hasUnfinishedTurn(again.gate)], ["idle", false]);
      const report = await (by === "resume" ? again.drive.resume(unlimited) : again.submit("more"));
      assert.deepEqual([report.outcome, report.turns], [{ kind: "finished", text: "I heard." }, 1]);
      assert.deepEqual(
        spoken(again.gate.state).filter((line) => line.startsWith("notification")),
        ["notification: a", "notification: b"],
      );
      await again.close();
    });
  }

  const deaths: readonly (readonly [string, (first: number) => readonly EntryBody[]])[] = [
    [
      "in the middle of its deliveries",
      (first) => [accepted("a"), accepted("b"), invoke, delivered(first, "a")],
    ],
    [
      "with all delivered, before it asked",
      (first) => [accepted("a"), accepted("b"), invoke, delivered(first, "a"), delivered(first + 1, "b")],
    ],
  ];
  for (const [name, left] of deaths) {
    for (const by of ["resume", "submit"] as const) {
      test(`${name}: it is marked as interrupted, and a ${by} tells the model each notice once`, async () => {
        const m = machine();
        const parts = await openParts(m);
        await parts.submit("go");
        await parts.close();
        await leaveBehind(m, left);
        const again = await openParts(m);
        const last = (await entriesOf(m.host)).at(-1);
        assert.ok(last?.kind === "run_paused" && !("opaque" in last) && last.reason === "interrupted");
        assert.equal(again.drive.state, "paused");
        assert.equal(hasUnfinishedTurn(again.gate), true);
        const report = await (by === "resume" ? again.drive.resume(unlimited) : again.submit("more"));
        assert.deepEqual(report.outcome, { kind: "finished", text: "I heard." });
        assert.deepEqual(
          spoken(again.gate.state).filter((line) => line.startsWith("notification")),
          ["notification: a", "notification: b"],
        );
        assert.deepEqual([again.inbox.waiting, again.drive.state, report.turns], [0, "idle", 1]);
        await again.close();
      });
    }
  }
});

test("a delivered notice that nobody answered leaves a turn to finish, also where its run ended", async () => {
  for (const ending of [
    { kind: "run_completed", result: "cancelled" },
    { kind: "run_errored", code: "network", message: "gone" },
  ] satisfies readonly EntryBody[]) {
    const m = machine();
    const parts = await openParts(m);
    await parts.submit("go");
    await parts.close();
    await leaveBehind(m, (first) => [accepted("a"), invoke, delivered(first, "a"), ending]);
    const again = await openParts(m);
    assert.deepEqual([again.drive.state, hasUnfinishedTurn(again.gate)], ["idle", true]);
    assert.deepEqual((await again.drive.resume(unlimited)).outcome, { kind: "finished", text: "I heard." });
    assert.equal(again.requests[0]?.items.length, 3);
    await again.close();
  }
});

test("W-12: what was accepted by a process that died idle waits for a run, and is told with the next input", async () => {
  const m = machine();
  const parts = await openParts(m);
  await parts.submit("go");
  await parts.close();
  await leaveBehind(m, () => [accepted("a"), accepted("b")]);
  const again = await openParts({ ...m, beginsOwnRuns: true });
  assert.deepEqual([again.drive.state, again.inbox.waiting], ["idle", 2]);
  await again.submit("more");
  assert.deepEqual(spoken(again.gate.state).slice(2), [
    "user: more",
    "notification: a",
    "notification: b",
    "model: I heard.",
  ]);
  await again.close();
});
