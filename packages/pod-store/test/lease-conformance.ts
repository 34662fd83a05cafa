/** What every Lease must do, seen from two processes of one machine. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, YoiError } from "@yoi/base";
import type { Lease } from "../src/index.ts";

/** Two processes that compete, freshly made for one test. */
export interface LeaseParties extends AsyncDisposable {
  readonly first: Lease;
  readonly second: Lease;
  /** The pid that `first` is known by. */
  readonly firstPid: number;
  /** Ends the first process without a word, as SIGKILL does, and waits until it is gone. */
  endFirst(): Promise<void>;
}

const name = podName("atlas");

/** The refusal of an acquire that must not be granted. */
async function refusalOf(attempt: Promise<unknown>): Promise<YoiError> {
  const outcome = await attempt.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof YoiError, "the lease was granted, or failed with something else");
  return outcome;
}

export function leaseConformance(implementation: string, open: () => Promise<LeaseParties>): void {
  const check = (what: string, run: (parties: LeaseParties) => Promise<void>): void => {
    test(`${implementation}: ${what}`, async () => {
      await using parties = await open();
      await run(parties);
    });
  };

  check("nobody owns a name that was never taken", async ({ first }) => {
    assert.equal(await first.owner(name), null);
  });

  check("an owner is named to everybody", async ({ first, second, firstPid }) => {
    const held = await first.acquire(name, "run");
    assert.equal(held.name, name);
    for (const lease of [first, second]) {
      const found = await lease.owner(name);
      assert.equal(found?.alive, true);
      assert.equal(found?.owner.pid, firstPid);
      assert.equal(found?.owner.purpose, "run");
    }
  });

  check("another process is refused with pid, time and purpose", async ({ first, second, firstPid }) => {
    await first.acquire(name, "run");
    const refusal = await refusalOf(second.acquire(name, "rm"));
    const since = new Date((await second.owner(name))?.owner.sinceMs ?? Number.NaN).toISOString();
    assert.equal(refusal.code, "pod_held");
    for (const part of ["atlas", String(firstPid), since, "run"])
      assert.ok(refusal.message.includes(part), part);
  });

  check(
    "a second acquire in one process is refused and does not lose the first",
    async ({ first, second }) => {
      await first.acquire(name, "run");
      const refusal = await refusalOf(first.acquire(name, "rm"));
      assert.equal(refusal.code, "pod_held");
      assert.match(refusal.message, /by this process/);
      assert.equal((await refusalOf(second.acquire(name, "rm"))).code, "pod_held");
      assert.equal((await second.owner(name))?.owner.purpose, "run");
    },
  );

  check("a released name is free, and nobody owns it", async ({ first, second }) => {
    const held = await first.acquire(name, "run");
    await held.release();
    assert.equal(await second.owner(name), null);
    const next = await second.acquire(name, "run");
    assert.equal((await refusalOf(first.acquire(name, "run"))).code, "pod_held");
    await next.release();
    await first.acquire(name, "run");
  });

  check("releasing twice does not release the next owner", async ({ first, second }) => {
    const held = await first.acquire(name, "run");
    await held.release();
    await second.acquire(name, "run");
    await held.release();
    assert.equal((await refusalOf(first.acquire(name, "run"))).code, "pod_held");
    assert.equal((await first.owner(name))?.alive, true);
  });

  check("it dies with its process", async ({ first, second, firstPid, endFirst }) => {
    await first.acquire(name, "run");
    await endFirst();
    const left = await second.owner(name);
    assert.deepEqual([left?.alive, left?.owner.pid], [false, firstPid]);
    await second.acquire(name, "restore");
    assert.deepEqual(
      [(await second.owner(name))?.alive, (await second.owner(name))?.owner.purpose],
      [true, "restore"],
    );
  });

  check("names do not disturb each other", async ({ first, second }) => {
    await first.acquire(name, "run");
    const other = await second.acquire(podName("borea"), "run");
    assert.equal((await refusalOf(second.acquire(name, "run"))).code, "pod_held");
    assert.equal((await refusalOf(first.acquire(podName("borea"), "run"))).code, "pod_held");
    await other.release();
    await first.acquire(podName("borea"), "run");
  });

  check("of two that try at once one wins", async ({ first, second }) => {
    for (let round = 0; round < 10; round += 1) {
      const tries = await Promise.allSettled([first, second].map((lease) => lease.acquire(name, "run")));
      const held = tries.filter((outcome) => outcome.status === "fulfilled");
      assert.equal(held.length, 1);
      await held[0]?.value.release();
    }
  });

  check("of two tries of one process at once one wins, and holds it", async ({ first, second }) => {
    for (let round = 0; round < 10; round += 1) {
      const tries = await Promise.allSettled(["a", "b"].map((purpose) => first.acquire(name, purpose)));
      const held = tries.filter((outcome) => outcome.status === "fulfilled");
      assert.equal(held.length, 1);
      assert.equal((await refusalOf(second.acquire(name, "run"))).code, "pod_held");
      await held[0]?.value.release();
    }
  });
}
