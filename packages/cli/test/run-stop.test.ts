/** What stops a run before it begins: its time, and work that gives up in time, late, or not at all. */
import assert from "node:assert/strict";
import test from "node:test";
import { memoryHost } from "@yoi/host";
import { StoppedEarly } from "../src/failure.ts";
import { unlessStopped, watchRunStop } from "../src/run-stop.ts";

test("the time is over before the run begins: the start is stopped, and the run cannot begin", async () => {
  const host = memoryHost({ seed: 1 });
  using stop = watchRunStop(host, 2_000);
  await host.advance(1_999);
  assert.deepEqual([stop.signal.aborted, stop.elapsedMs, stop.received], [false, 1_999, null]);
  await host.advance(1);
  assert.throws(
    () => stop.begin(() => assert.fail("nothing runs")),
    (error) => {
      assert.ok(error instanceof StoppedEarly);
      assert.deepEqual(error.failure, {
        code: "limit_time",
        subtype: "limit_time",
        message: "The time limit of 2 s was over before the run began: nothing was sent.",
        exitCode: 5,
      });
      return true;
    },
  );
});

test("a run that has begun keeps its time itself", async () => {
  const host = memoryHost({ seed: 1 });
  using stop = watchRunStop(host, 2_000);
  stop.begin(() => assert.fail("no signal came"));
  await host.advance(5_000);
  assert.equal(stop.signal.aborted, false);
});

const reason = new Error("stopped");

for (const [how, work, undone, abandoned] of [
  ["gives up", (signal: AbortSignal) => rejectsAt(signal), 0, false],
  ["comes to something all the same", (signal: AbortSignal) => resolvesAt(signal), 1, false],
  ["waits for ever", () => new Promise<string>(() => undefined), 0, true],
] as const) {
  test(`stopped work that ${how}`, async () => {
    const host = memoryHost({ seed: 1 });
    const controller = new AbortController();
    const seen = { undone: 0, abandoned: false };
    const waiting = unlessStopped<string>(work(controller.signal), {
      signal: controller.signal,
      timers: host.timers,
      undo: async () => void (seen.undone += 1),
      abandoned: () => (seen.abandoned = true),
    });
    const rejected = assert.rejects(waiting, (error) => error === reason);
    controller.abort(reason);
    await host.advance(1_000);
    await rejected;
    assert.deepEqual(seen, { undone, abandoned });
  });
}

function resolvesAt(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => setImmediate(() => resolve("late")));
  });
}

function rejectsAt(signal: AbortSignal): Promise<string> {
  return resolvesAt(signal).then(() => Promise.reject(new Error("given up")));
}

test("work that nobody stops is what it is", async () => {
  const { timers } = memoryHost({ seed: 1 });
  const { signal } = new AbortController();
  const options = { signal, timers, undo: async () => assert.fail(), abandoned: () => assert.fail() };
  assert.equal(await unlessStopped(Promise.resolve("done"), options), "done");
  await assert.rejects(unlessStopped(Promise.reject(reason), options), (error) => error === reason);
});
