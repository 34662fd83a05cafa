/** What ended in a child is told once, whatever is torn, full, rotated or not readable in between. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EntryBody, isKnown } from "@yoi/base";
import { memoryHost, noFaults } from "@yoi/host";
import { entriesOf } from "../../../../test/inbox/parts.ts";
import { inboxMax } from "../../src/index.ts";
import { endingDetailBytesMax, endingsToldMax, shutdownDomain } from "../../src/spawn/child-endings.ts";
import { writtenSettledMs } from "../../src/spawn/child-events.ts";
import { cursorOf, parentOf, readAlso, waiting } from "./hearing-parent.ts";
import { finished, invoke, WrittenChild } from "./written-child.ts";

describe("endings", () => {
  const rows: readonly (readonly [string, EntryBody, string])[] = [
    ["finished", finished, "The Pod kid finished its run."],
    [
      "a limit",
      { kind: "run_completed", result: "limit_reached", detail: "turns: 3" },
      "The Pod kid ended its run at a limit (turns: 3).",
    ],
    ["cancelled", { kind: "run_completed", result: "cancelled" }, "The Pod kid had its run cancelled."],
    [
      "aborted",
      { kind: "run_completed", result: "aborted", detail: "a hook" },
      "The Pod kid had its run aborted (a hook).",
    ],
    [
      "paused",
      { kind: "run_paused", reason: "interrupted", detail: "its process ended" },
      "The Pod kid is paused: interrupted (its process ended).",
    ],
    [
      "failed",
      { kind: "run_errored", code: "overloaded", message: "Come\u001b back.\n" },
      "The Pod kid failed: overloaded (Come\\u001b back.\\u000a).",
    ],
    [
      "taken back",
      { kind: "turn_rolled_back", from_seq: 3 },
      "The Pod kid was stopped before its model began to answer, and its input was taken back.",
    ],
  ];
  for (const [name, end, sentence] of rows) {
    test(`${name}: one notice, with the cursor in the same write`, async () => {
      const host = memoryHost({ seed: 1 });
      const kid = await new WrittenChild(host).begin();
      const { parts, events, counts } = await parentOf(host, kid);
      const seq = await kid.run(end);
      await events.lookAtAll();
      const [notice, cursor] = (await entriesOf(host)).slice(-2);
      assert.ok(notice !== undefined && cursor !== undefined && isKnown(notice) && isKnown(cursor));
      assert.ok(notice.kind === "inbox_accepted" && cursor.kind === "child_cursor");
      assert.deepEqual(
        [notice.submission, notice.item.kind, notice.item.source, notice.item.body],
        [`child/kid/${kid.segment}/${seq}`, "pod_event", "kid", sentence + readAlso],
      );
      assert.deepEqual([cursor.child, cursor.segment, cursor.through], ["kid", kid.segment, seq]);
      assert.equal(cursor.batch, notice.batch);
      assert.equal(counts.notified, 1);
      const { lastSeq } = parts.gate;
      await events.lookAtAll();
      assert.deepEqual([parts.gate.lastSeq, counts.notified], [lastSeq, 1], "and never again");
      await parts.close();
    });
  }

  for (const trigger of ["notify", "pod_event", "resume"] as const) {
    test(`a run that a ${trigger} began ends as one that was asked for: its answer may be the one that counts`, async () => {
      const host = memoryHost({ seed: 1 });
      const kid = await new WrittenChild(host).begin();
      const { parts, events } = await parentOf(host, kid);
      await kid.run();
      await kid.run({ kind: "run_paused", reason: "user" }, { kind: "invoke", trigger });
      await events.lookAtAll();
      assert.deepEqual(waiting(parts), ["The Pod kid finished its run.", "The Pod kid is paused: user."]);
      await parts.close();
    });
  }

  test("what goes on and what features write ends nothing", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const { parts, events } = await parentOf(host, kid);
    await kid.append({ kind: "extension", domain: "metrics", payload: { reason: "x" } }, invoke);
    await events.lookAtAll();
    assert.deepEqual([waiting(parts), cursorOf(parts)], [[], undefined]);
    await parts.close();
  });

  test("the child's own orderly end is known, and told by whoever takes its loan back", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const { parts, events, counts } = await parentOf(host, kid);
    await kid.run();
    const end: EntryBody = { kind: "extension", domain: shutdownDomain, payload: { reason: "SIGTERM" } };
    const seq = await kid.append(end);
    await events.lookAtAll();
    assert.deepEqual(waiting(parts), ["The Pod kid finished its run."]);
    assert.deepEqual(cursorOf(parts), { segment: kid.segment, seq });
    await kid.append({ kind: "opened", epoch: 2, version: "0" }, end);
    await events.lookAtAll();
    assert.deepEqual([waiting(parts).length, counts.notified], [1, 1]);
    assert.deepEqual(cursorOf(parts), { segment: kid.segment, seq: kid.lastSeq });
    await parts.close();
  });

  test(`a detail is cut behind ${endingDetailBytesMax} bytes`, async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const { parts, events } = await parentOf(host, kid);
    for (const bytes of [endingDetailBytesMax, endingDetailBytesMax + 1])
      await kid.run({ kind: "run_errored", code: "c", message: "x".repeat(bytes) });
    await events.lookAtAll();
    const message = `The Pod kid failed: c (${"x".repeat(endingDetailBytesMax)}).`;
    assert.deepEqual(waiting(parts), [message, message]);
    await parts.close();
  });

  for (const count of [endingsToldMax, endingsToldMax + 1, endingsToldMax + 5]) {
    test(`${count} since the last look: ${endingsToldMax} one by one, and one that counts the rest`, async () => {
      const host = memoryHost({ seed: 1 });
      const kid = await new WrittenChild(host).begin();
      const { parts, events } = await parentOf(host, kid);
      for (let n = 0; n < count; n += 1) await kid.run();
      await events.lookAtAll();
      const rest = count - endingsToldMax;
      const things = rest === 1 ? "1 more thing" : `${rest} more things`;
      const counted = `Since then ${things} ended in the Pod kid: at last it finished its run.`;
      assert.deepEqual(waiting(parts), [
        ...Array.from({ length: endingsToldMax }, () => "The Pod kid finished its run."),
        ...(rest > 0 ? [counted] : []),
      ]);
      assert.deepEqual(cursorOf(parts), { segment: kid.segment, seq: kid.lastSeq });
      await parts.close();
    });
  }
});

describe("looks", () => {
  test("many children are looked at four at a time", async () => {
    const host = memoryHost({ seed: 1 });
    const kids = await Promise.all(
      Array.from({ length: 9 }, (_, n) => new WrittenChild(host, `kid-${n}`).begin()),
    );
    for (const kid of kids) await kid.run();
    const { parts, events, reading } = await parentOf(host, ...kids);
    await events.lookAtAll();
    assert.deepEqual([waiting(parts).length, reading.most], [9, 4]);
    await parts.close();
  });

  test("a log that nobody wrote to since is not read again; one that was written just now is", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const { parts, events, reads } = await parentOf(host, kid);
    await kid.run();
    await events.lookAtAll();
    await events.lookAtAll();
    assert.equal(reads.length, 2, "two writes may have the same time");
    await host.advance(writtenSettledMs);
    await events.lookAtAll();
    await events.lookAtAll();
    assert.equal(reads.length, 3);
    await kid.run();
    await events.lookAtAll();
    assert.deepEqual([reads.length, waiting(parts).length], [4, 2]);
    await parts.close();
  });

  test("a look that is asked for while one goes on sees what came in between, and many are one", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const { parts, events, reads } = await parentOf(host, kid);
    await kid.run();
    const first = events.lookAt(kid.name);
    await kid.run();
    await Promise.all([first, ...Array.from({ length: 5 }, () => events.lookAt(kid.name))]);
    assert.deepEqual([waiting(parts).length, reads.length], [2, 2]);
    await parts.close();
  });

  test("looks asked for at every moment of others: never two at a time, and each end once", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const { parts, events, reading } = await parentOf(host, kid);
    const looks: Promise<void>[] = [];
    for (let n = 0; n < 60; n += 1) {
      if (n % 20 === 0) await kid.run();
      looks.push(events.lookAt(kid.name));
      for (let turn = 0; turn < n; turn += 1) await Promise.resolve();
    }
    await Promise.all(looks);
    assert.deepEqual([waiting(parts).length, reading.most], [3, 1]);
    await parts.close();
  });

  test("a name that is no child's, or another Pod's now, or a log that is not there yet: nothing", async () => {
    const host = memoryHost({ seed: 1 });
    const stranger = await new WrittenChild(host, "stranger").begin();
    await stranger.run();
    const kid = new WrittenChild(host);
    const other = await new WrittenChild(host).begin();
    const { parts, events, warnings } = await parentOf(host, kid);
    await other.run();
    await events.lookAt(stranger.name);
    await events.lookAtAll();
    assert.deepEqual([waiting(parts), warnings], [[], []]);
    await parts.close();
  });

  test("what cannot be read is said to the user once, and told when it can", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const { parts, events, warnings } = await parentOf(host, kid);
    await kid.run();
    host.disk.plan = ({ kind, path }) => (kind === "sync" && path.includes(kid.segment) ? "EIO" : "pass");
    await events.lookAtAll();
    await events.lookAtAll();
    assert.deepEqual(waiting(parts), [], "nothing is told that a power cut could take back");
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /^What ended in the Pod kid cannot be told to its parent now: /);
    host.disk.plan = noFaults;
    await events.lookAtAll();
    assert.equal(waiting(parts).length, 1);
    await parts.close();
  });

  test("a Pod that closes is told nothing more, and nothing is lost", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const before = await parentOf(host, kid);
    await kid.run();
    await before.events.close();
    await before.events.lookAtAll();
    assert.deepEqual(waiting(before.parts), []);
    await before.parts.close();
    const { parts, events } = await parentOf(host, kid);
    await events.lookAtAll();
    assert.equal(waiting(parts).length, 1);
    await parts.close();
  });
});

test("a full inbox loses nothing: what has a place is told with a cursor there, the rest when there is room", async () => {
  const host = memoryHost({ seed: 1 });
  const kid = await new WrittenChild(host).begin();
  const { parts, events, warnings } = await parentOf(host, kid);
  const ends = endingsToldMax + 4;
  for (let n = 0; n < ends; n += 1)
    await kid.run({ kind: "run_completed", result: "finished", detail: `run ${n}` });
  for (let n = 0; n < inboxMax - 2; n += 1) await parts.inbox.accept({ source: "x", message: `news ${n}` });
  await events.lookAtAll();
  const told = waiting(parts).slice(-2);
  assert.deepEqual(told, ["The Pod kid finished its run (run 0).", "The Pod kid finished its run (run 1)."]);
  await events.lookAtAll();
  assert.deepEqual([parts.inbox.room, warnings], [0, []]);
  await parts.submit("go");
  assert.equal(parts.inbox.waiting, 0);
  await events.roomAgain();
  assert.deepEqual(waiting(parts), [
    ...Array.from({ length: endingsToldMax }, (_, n) => `The Pod kid finished its run (run ${n + 2}).`),
    "Since then 2 more things ended in the Pod kid: at last it finished its run (run 11).",
  ]);
  await parts.close();
});
