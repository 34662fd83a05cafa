/** GoneWatch: looks after a child that may be ending, for so long, one watch at a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { goneMs, GoneWatch } from "../../src/spawn/gone-watch.ts";

function watched(endsMs: number | null) {
  const host = memoryHost({ seed: 1 });
  const { clock, timers } = host;
  const startedMs = clock.monotonic();
  const looks: number[] = [];
  const controller = new AbortController();
  const watch = new GoneWatch({
    clock,
    timers,
    signal: controller.signal,
    mayBeEnding: async () => {
      const atMs = clock.monotonic() - startedMs;
      looks.push(atMs);
      return endsMs === null || atMs < endsMs;
    },
  });
  return { host, looks, watch, controller };
}

test("it looks until the child is gone, and no longer than its limit, for everybody who asks meanwhile at once", async () => {
  for (const [endsMs, lastMs] of [
    [0, 0],
    [40, 50],
    [null, goneMs],
  ] as const) {
    const { host, looks, watch } = watched(endsMs);
    const first = watch.lookAfter(podName("kid"));
    assert.equal(watch.lookAfter(podName("kid")), first);
    await host.advance(goneMs + 2_000);
    await first;
    const last = looks.at(-1) ?? assert.fail();
    assert.ok(last >= lastMs && last < lastMs + 1_000, `${last}`);
    assert.ok((looks.at(-2) ?? -1) < lastMs, `${looks.join(" ")}`);
    const before = looks.length;
    await host.advance(60_000);
    assert.equal(looks.length, before);
  }
});

test("it ends at once with its owner", async () => {
  const { host, looks, watch, controller } = watched(null);
  const looking = watch.lookAfter(podName("kid"));
  await host.advance(100);
  controller.abort();
  await watch.ended();
  await looking;
  assert.ok(looks.length > 1 && looks.length < 5);
});
