/** A child's log as its parent reads it: over all its segments, and where it is damaged. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { segmentId } from "@yoi/base";
import { type MemoryHost, memoryHost } from "@yoi/host";
import { segmentPath } from "@yoi/session-store";
import { dataDir } from "../../../../test/support/simulated-pod.ts";
import { inboxMax } from "../../src/index.ts";
import { writtenSettledMs } from "../../src/spawn/child-events.ts";
import { cursorOf, parentOf, waiting } from "./hearing-parent.ts";
import { WrittenChild } from "./written-child.ts";

describe("W-41: segments", () => {
  test("a segment that follows is told also where its id is the smaller one: two processes' clocks differ", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const later = segmentId(kid.segment);
    const earlier = segmentId(later.replace(/^.{8}/, "00000000"));
    await kid.run();
    const { parts, events } = await parentOf(host, kid);
    await events.lookAtAll();
    await kid.begin({ compacted_from: kid.origin }, earlier);
    await kid.run({ kind: "run_completed", result: "cancelled" });
    await events.lookAtAll();
    assert.deepEqual(waiting(parts), ["The Pod kid finished its run.", "The Pod kid had its run cancelled."]);
    assert.deepEqual(cursorOf(parts), { segment: earlier, seq: kid.lastSeq });
    await parts.close();
  });

  const compacted = async (host: MemoryHost) => {
    const kid = await new WrittenChild(host).begin();
    const first = kid.segment;
    await kid.run();
    return { kid, first };
  };

  test("a segment that was left is read to its end before the one that follows it", async () => {
    const host = memoryHost({ seed: 1 });
    const { kid, first } = await compacted(host);
    const { parts, events } = await parentOf(host, kid);
    await events.lookAtAll();
    const told = cursorOf(parts);
    await kid.run({ kind: "run_completed", result: "cancelled" });
    await kid.begin({ compacted_from: kid.origin });
    await kid.run({ kind: "run_errored", code: "overloaded", message: "" });
    await kid.begin({ compacted_from: kid.origin });
    await kid.run();
    await events.lookAtAll();
    assert.deepEqual(waiting(parts), [
      "The Pod kid finished its run.",
      "The Pod kid had its run cancelled.",
      "The Pod kid failed: overloaded.",
      "The Pod kid finished its run.",
    ]);
    assert.equal(told?.segment, first);
    assert.deepEqual(cursorOf(parts), { segment: kid.segment, seq: kid.lastSeq });
    await parts.close();
  });

  test("without a cursor everything is told, from the first segment on", async () => {
    const host = memoryHost({ seed: 1 });
    const { kid } = await compacted(host);
    await kid.begin({ compacted_from: kid.origin });
    await kid.run({ kind: "run_completed", result: "cancelled" });
    const { parts, events } = await parentOf(host, kid);
    await events.lookAtAll();
    assert.deepEqual(waiting(parts), ["The Pod kid finished its run.", "The Pod kid had its run cancelled."]);
    await parts.close();
  });

  test("behind a rewind nothing of what it goes back to is told again, and what was left is told", async () => {
    const host = memoryHost({ seed: 1 });
    const { kid } = await compacted(host);
    const place = kid.origin;
    await kid.begin({ compacted_from: kid.origin });
    await kid.run({ kind: "run_completed", result: "cancelled" });
    const { parts, events } = await parentOf(host, kid);
    await events.lookAtAll();
    await kid.run({ kind: "run_errored", code: "late", message: "" });
    await kid.begin({ forked_from: place });
    await kid.run({ kind: "run_paused", reason: "user" });
    await events.lookAtAll();
    assert.deepEqual(waiting(parts).slice(2), ["The Pod kid failed: late.", "The Pod kid is paused: user."]);
    await parts.close();
  });
});

describe("a run that yields for a compaction", () => {
  const yields = { kind: "run_paused", reason: "yield", detail: "over the threshold" } as const;
  const begins = { kind: "compaction_begun", trigger: "threshold", compactor: null, tokens: 9 } as const;
  const resume = { kind: "invoke", trigger: "resume" } as const;
  const finished = "The Pod kid finished its run.";
  const paused = "The Pod kid is paused: yield (over the threshold).";
  const heard = async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const parent = await parentOf(host, kid);
    const look = async (settled = false) => {
      if (settled) await host.advance(writtenSettledMs);
      await parent.events.lookAtAll();
      return waiting(parent.parts);
    };
    return { kid, look, ...parent };
  };

  test("is not told as paused, whenever the parent looks, and is told once when it ends", async () => {
    const { kid, look, parts } = await heard();
    await kid.run();
    await kid.run(yields);
    assert.deepEqual(await look(), [finished], "it may be about to be compacted");
    await kid.append(begins);
    assert.deepEqual(await look(true), [finished], "it is being compacted");
    await kid.begin({ compacted_from: kid.origin });
    assert.deepEqual(await look(), [finished], "it goes on in another segment");
    await kid.append(resume);
    assert.deepEqual(await look(true), [finished], "it goes on");
    await kid.append({ kind: "run_completed", result: "cancelled" });
    assert.deepEqual(await look(), [finished, "The Pod kid had its run cancelled."]);
    assert.deepEqual(cursorOf(parts), { segment: kid.segment, seq: kid.lastSeq });
    await parts.close();
  });

  for (const [what, ...behind] of [
    ["nothing comes behind it: a hook asked for a pause"],
    ["its process died in the compaction", begins, { kind: "opened", epoch: 2, version: "1" }],
  ] as const) {
    test(`is told as paused once where ${what}`, async () => {
      const { kid, look, parts } = await heard();
      await kid.run(yields);
      await kid.append(...behind);
      assert.deepEqual(await look(), []);
      assert.deepEqual(await look(true), [paused]);
      assert.deepEqual(await look(true), [paused]);
      await parts.close();
    });
  }
});

describe("a damaged log", () => {
  const damage = async (host: MemoryHost, { path, find }: { path: string; find: string }) => {
    const bytes = Buffer.from((await host.files.read(path)) ?? []);
    bytes.write("#", bytes.indexOf(find));
    await host.files.replace(path, bytes);
  };

  test("what is good of it is told, and once that there is more: to the model and to the user", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    await kid.run();
    await kid.run({ kind: "run_errored", code: "overloaded", message: "lost" });
    const path = segmentPath(dataDir, { session: kid.session, segment: segmentId(kid.segment) });
    await damage(host, { path, find: "lost" });
    const told = [
      "The Pod kid finished its run.",
      "The log of the Pod kid is damaged at line 7 (byte ",
    ] as const;
    for (const isFirst of [true, false]) {
      const { parts, events, warnings, counts } = await parentOf(host, kid);
      await events.lookAtAll();
      await events.lookAtAll();
      const [good, bad, ...more] = waiting(parts);
      assert.deepEqual([good, bad?.startsWith(told[1]), more], [told[0], true, []]);
      assert.match(bad ?? "", /`yoi pod verify kid`/);
      assert.deepEqual([warnings.length, counts.notified], isFirst ? [1, 2] : [0, 0], "once for ever");
      assert.equal(warnings.filter((text) => text.includes(path)).length, warnings.length);
      await parts.close();
    }
  });

  test("what a segment behind it has on record is told all the same", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const path = segmentPath(dataDir, { session: kid.session, segment: segmentId(kid.segment) });
    await kid.run({ kind: "run_errored", code: "overloaded", message: "lost" });
    await kid.begin({ compacted_from: kid.origin });
    await kid.run();
    await damage(host, { path, find: "lost" });
    const { parts, events } = await parentOf(host, kid);
    await events.lookAtAll();
    assert.equal(waiting(parts)[0], "The Pod kid finished its run.");
    assert.match(waiting(parts)[1] ?? "", /damaged at line 5/);
    assert.equal(waiting(parts).length, 2);
    await parts.close();
  });

  test("a full inbox: it is told when there is room", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    await kid.run({ kind: "run_errored", code: "overloaded", message: "lost" });
    const path = segmentPath(dataDir, { session: kid.session, segment: segmentId(kid.segment) });
    await damage(host, { path, find: "lost" });
    const { parts, events, warnings } = await parentOf(host, kid);
    for (let n = 0; n < inboxMax; n += 1) await parts.inbox.accept({ source: "x", message: `news ${n}` });
    await events.lookAtAll();
    assert.deepEqual(warnings, []);
    await parts.submit("go");
    await events.roomAgain();
    assert.deepEqual([waiting(parts).length, warnings.length], [1, 1]);
    await parts.close();
  });
});
