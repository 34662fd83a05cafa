/** Timers fire once, in order, can be cancelled, and leave nothing behind. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryHost, nodeHost } from "../src/index.ts";

describe("virtual time", () => {
  test("fires in order of their time, each firing settled before the next", async () => {
    const host = memoryHost({ seed: 1, startMs: 1_000 });
    const seen: string[] = [];
    host.timers.after(20, () => void Promise.resolve().then(() => seen.push(`b ${host.clock.now()}`)));
    host.timers.after(10, () => {
      seen.push(`a ${host.clock.now()}`);
      host.timers.after(5, () => seen.push(`nested ${host.clock.now()}`));
    });
    const cancel = host.timers.after(12, () => seen.push("cancelled"));
    cancel();
    host.timers.after(31, () => seen.push("late"));
    await host.advance(30);
    assert.deepEqual(seen, ["a 1010", "nested 1015", "b 1020"]);
    assert.deepEqual([host.clock.now(), host.clock.monotonic()], [1030, 30]);
  });

  test("sleep resolves on time and rejects at once on abort", async () => {
    const host = memoryHost({ seed: 1 });
    const stop = new AbortController();
    const slept = host.timers.sleep(100);
    const aborted = assert.rejects(host.timers.sleep(100, stop.signal), /enough/);
    stop.abort(new Error("enough"));
    await aborted;
    await assert.rejects(host.timers.sleep(1, stop.signal), /enough/);
    await host.advance(100);
    await slept;
  });
});

describe("node timers", () => {
  const { timers } = nodeHost();

  test("sleep, abort and cancel", async () => {
    const stop = new AbortController();
    const aborted = assert.rejects(timers.sleep(60_000, stop.signal), /enough/);
    stop.abort(new Error("enough"));
    await aborted;
    await timers.sleep(1, new AbortController().signal);
    timers.after(60_000, () => assert.fail("a cancelled timer fired"))();
  });

  test("a delay beyond setTimeout's range waits instead of firing at once", async () => {
    const cancel = timers.after(2 ** 31 + 5, () => assert.fail("fired 24 days early"));
    await timers.sleep(5);
    cancel();
  });
});
