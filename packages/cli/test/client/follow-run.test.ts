/** A run in another process, followed: what is told of it, over lost connections, and when its end is known. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, type EntryBody, type LogEntry, noCost, noUsage, YoiError } from "@yoi/base";
import type { RunEnded } from "@yoi/protocol";
import { FollowedRun } from "../../src/client/follow-run.ts";
import { viewOf } from "./view.ts";

const stored = (body: EntryBody, seq: number): LogEntry => ({ ...body, seq, batch: seq, ts: 0 });

function ended(run: string): RunEnded {
  return {
    run,
    end: { kind: "cancelled" },
    followed: [],
    turns: 0,
    usage: noUsage,
    cost: noCost,
    denials: [],
    permission_needed: false,
  };
}

function followed() {
  const told: (number | string)[] = [];
  const said: string[] = [];
  const run = new FollowedRun({
    name: "p",
    committed: (entries) => told.push(...entries.map(({ seq }) => seq)),
    live: ({ type }) => void told.push(type),
    say: (text) => void said.push(text),
    columns: null,
    segment: "g",
    generation: 0,
  });
  return { run, told, said };
}

test("what came before its seq was known is told in order, and only what is of the run", async () => {
  const { run, told } = followed();
  run.snapshot(viewOf());
  run.entry(stored({ kind: "turn_end", turn_count: 1 }, 6));
  run.live({ type: "turn", turn: 0 });
  run.entry(stored({ kind: "invoke", trigger: "user_send" }, 7));
  run.live({ type: "state", state: "running" });
  assert.deepEqual(told, []);
  run.follow("7");
  run.live({ type: "run_ended", run: ended("3") });
  run.live({ type: "run_ended", run: ended("7") });
  assert.deepEqual(told, [7, "state", "run_ended"]);
  assert.deepEqual(await run.ended, ended("7"));
});

test("a run that ended before the first snapshot has its end in there", async () => {
  const { run } = followed();
  run.snapshot(viewOf({ seq: 12, state: "idle", last_run: ended("7") }));
  run.follow("7");
  assert.deepEqual(await run.ended, ended("7"));
});

test("a snapshot from before the run says nothing of it, whichever process it is of", async () => {
  const { run } = followed();
  run.snapshot(viewOf({ seq: 4, epoch: 1, state: "idle", last_run: ended("2") }));
  run.snapshot(viewOf({ seq: 6, epoch: 2, state: "idle" }));
  run.follow("7");
  run.live({ type: "run_ended", run: ended("7") });
  assert.deepEqual(await run.ended, ended("7"));
});

describe("behind a lost connection", () => {
  test("its end is in the snapshot, or still to come", async () => {
    const { run, told, said } = followed();
    run.follow("7");
    run.snapshot(viewOf());
    run.disconnected("gone.");
    const alert = { type: "alert", level: "warn", source: "host", message: "low", at: 0, n: 3 } as const;
    run.snapshot(viewOf({ alerts: [alert] }));
    assert.deepEqual([told, said], [["alert"], ["Connection lost (gone.) Trying again."]]);
    run.snapshot(viewOf({ state: "idle", last_run: ended("7") }));
    assert.deepEqual(await run.ended, ended("7"));
  });

  for (const [what, view] of [
    ["another run ended behind it", viewOf({ state: "idle", last_run: ended("12") })],
    ["another run goes on behind the one that ended behind it", viewOf({ run: "28", last_run: ended("20") })],
    ["nothing runs, and no end was told in this life", viewOf({ state: "paused" })],
  ] as const) {
    test(`its end is not known where ${what}`, async () => {
      const { run } = followed();
      run.follow("7");
      run.snapshot(viewOf());
      run.snapshot(view);
      await assert.rejects(
        run.ended,
        (error) => error instanceof YoiError && error.code === "pod_unreachable",
      );
    });
  }

  test("its end is not known where another process opened the Pod since", async () => {
    const { run } = followed();
    run.entry(stored({ kind: "opened", epoch: 1, version: "1" }, 3));
    run.follow("7");
    run.entry(stored({ kind: "invoke", trigger: "user_send" }, 7));
    run.entry(stored({ kind: "opened", epoch: 2, version: "1" }, 9));
    run.snapshot(viewOf({ epoch: 2 }));
    await assert.rejects(run.ended, /another one hosts it now/);
  });

  test("its end is not known where the log began anew, or could not be written", async () => {
    const anew = followed();
    anew.run.restarted();
    await assert.rejects(anew.run.ended, /its log began anew/);
    const poisoned = followed();
    poisoned.run.follow("7");
    poisoned.run.live({ type: "run_failed", run: "7", code: "log_poisoned", message: "No." });
    await assert.rejects(poisoned.run.ended, /^YoiError: No\.$/);
  });
});

describe("a run whose history goes on in another segment", () => {
  const place = { segment: "g2", seq: 9 };
  const rotation = {
    segment: "g3",
    generation: 3,
    why: "compacted",
    from: place,
    left: { segment: "g", seq: 12 },
  } as const;

  test("is followed there, where seqs begin at 0 again, to the end that has its first name", async () => {
    const { run, told } = followed();
    run.follow("7");
    run.entry(stored({ kind: "invoke", trigger: "user_send" }, 7));
    assert.equal(run.segment, "g");
    run.rotated(rotation);
    assert.equal(run.segment, "g3");
    run.entry(stored({ kind: "segment_ready" }, 0));
    run.entry(stored({ kind: "opened", epoch: 1, version: "1" }, 1));
    run.snapshot(viewOf({ generation: 3, seq: 1 }));
    run.entry(stored({ kind: "invoke", trigger: "resume" }, 2));
    run.live({ type: "run_ended", run: ended("2") });
    run.live({ type: "run_ended", run: ended("7") });
    assert.deepEqual(told, [7, 0, 1, 2, "run_ended"]);
    assert.deepEqual(await run.ended, ended("7"));
  });

  test("a process that opened it behind that is another one", async () => {
    const { run } = followed();
    run.follow("7");
    run.rotated(rotation);
    run.entry(stored({ kind: "opened", epoch: 1, version: "1" }, 1));
    run.entry(stored({ kind: "opened", epoch: 2, version: "1" }, 2));
    await assert.rejects(run.ended, /another one hosts it now/);
  });

  for (const [ended_, isKnown] of [
    ["6", true],
    ["3-1", false],
  ] as const) {
    test(`where the run ${ended_} was the last to end, ${isKnown ? "it goes on" : "it is over"}`, async () => {
      const { run, told } = followed();
      run.follow("7");
      run.rotated(rotation);
      run.snapshot(viewOf({ generation: 3, seq: 1, run: "3-2", last_run: ended(ended_) }));
      run.live({ type: "run_ended", run: ended("7") });
      if (isKnown) assert.deepEqual(await run.ended, ended("7"));
      else await assert.rejects(run.ended, /was behind or lost/);
      assert.deepEqual(told, []);
    });
  }
});

test("a call that waits is said whole, with how to answer", () => {
  const { run, said } = followed();
  const call = callId(8, 0);
  const digest = "0123456789abcdef".repeat(4);
  run.follow("7");
  run.entry(
    stored(
      {
        kind: "assistant_item",
        request: 8,
        index: 0,
        item: { type: "tool_call", call, name: "Bash", arguments: '{"command":"ls\u001b"}' },
      },
      9,
    ),
  );
  run.entry(stored({ kind: "approval_asked", call, digest, reason: "rule 1", expires: 0 }, 10));
  assert.deepEqual(said, [
    "? 0123456789ab waits for your answer: rule 1",
    '?   Bash {"command":"ls\\u001b"}',
    "Answer in another terminal: `yoi approve p 0123456789ab`, or refuse with --deny --reason TEXT behind it.",
  ]);
});
