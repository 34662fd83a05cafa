/** LiveScope: what is left while parts are lent, who is waited for, and the limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Loan, type Scope, type Timers, YoiError } from "@yoi/base";
import fc from "fast-check";
import { effectiveScope, lendWaitMs, LiveScope, permissionAt, scopeRulesMax } from "../src/index.ts";
import { anyScope, read, seeded, treePaths, write } from "./support.ts";

const ws: Scope = { allow: [write("/ws"), read("/usr")], deny: [] };
const loan = (id: string, ...allow: Scope["allow"]): Loan => ({ id, scope: { allow, deny: [] } });
const never = new AbortController().signal;

/** Timers that fire when they are told to. */
function handTimers() {
  const set: { readonly delayMs: number; readonly fire: () => void }[] = [];
  const timers: Timers = {
    after: (delayMs, fire) => {
      const timer = { delayMs, fire };
      set.push(timer);
      return () => void set.splice(set.indexOf(timer), 1);
    },
    sleep: () => assert.fail("nobody sleeps"),
  };
  return { timers, set };
}

test(`A3-21: lent and taken back in any order, a scope is what it was without the loans that are gone (seed ${seeded.seed}, 100 runs)`, () => {
  const anyLoans = fc.array(anyScope, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(anyScope, anyLoans, fc.nat(), (ceiling, scopes, pick) => {
      const loans = scopes.map((scope, index) => ({ id: `${index}`, scope }));
      const gone = loans[pick % loans.length]?.id ?? "";
      const live = new LiveScope(ceiling, loans);
      // By its loan alone: whether anything still allocates it is not asked.
      assert.equal(live.takeBack(gone), true);
      assert.equal(live.takeBack(gone), false);
      const left = loans.filter(({ id }) => id !== gone);
      assert.deepEqual(live.loans, left);
      for (const path of treePaths.slice(0, 120)) {
        const isLent = left.some(
          ({ scope }) => permissionAt({ allow: scope.allow, deny: [] }, path) === "write",
        );
        const was = permissionAt(ceiling, path);
        assert.equal(permissionAt(live.current, path), isLent && was === "write" ? "read" : was, path);
      }
    }),
    { seed: seeded.seed, numRuns: 100 },
  );
});

test("lend: at once nothing can be written there; it resolves when the work that could has ended", async () => {
  const live = new LiveScope(ws);
  const { timers, set } = handTimers();
  const left = [live.enter("Bash (1.0)"), live.enter("Bash (2.0)")];
  let isLent = false;
  const lent = live.lend(loan("l", write("/ws/a")), { timers, signal: never }).then(() => (isLent = true));
  assert.deepEqual(
    [permissionAt(live.current, "/ws/a"), permissionAt(live.current, "/ws/b")],
    ["read", "write"],
  );
  // Work that begins now cannot write there, and nobody waits for it.
  live.enter("Edit (3.0)");
  for (const leave of left) {
    await Promise.resolve();
    assert.equal(isLent, false);
    leave();
    leave();
  }
  await lent;
  assert.deepEqual([set.length, live.loans.length], [0, 1]);
});

test("lend: after lendWaitMs, and when it is given up, the write comes back, and the work is named", async () => {
  const live = new LiveScope(ws);
  const { timers, set } = handTimers();
  live.enter("Bash (1.0)");
  const refused = live.lend(loan("l", write("/ws/a")), { timers, signal: never });
  assert.deepEqual(
    set.map(({ delayMs }) => delayMs),
    [lendWaitMs],
  );
  set[0]?.fire();
  await assert.rejects(
    refused,
    (error) =>
      error instanceof YoiError && error.code === "loan_refused" && error.message.includes("(Bash (1.0))"),
  );
  const stop = new AbortController();
  const given = live.lend(loan("m", write("/ws/a")), { timers, signal: stop.signal });
  stop.abort(new Error("given up"));
  await assert.rejects(given, /given up/);
  assert.deepEqual([live.current, live.loans, set], [ws, [], []]);
  // Control: what the work could never write is lent without it.
  await live.lend(loan("r", read("/ws/a"), write("/elsewhere")), { timers, signal: never });
});

test("lend: as many rules as a scope can have, and not one more", async () => {
  const { timers } = handTimers();
  const rules = (count: number) => Array.from({ length: count }, (_, index) => write(`/ws/${index}`));
  const free = scopeRulesMax - ws.allow.length;
  const full = new LiveScope(ws);
  await full.lend(loan("l", ...rules(free)), { timers, signal: never });
  await assert.rejects(
    full.lend(loan("m", write("/ws/x")), { timers, signal: never }),
    (error) => error instanceof YoiError && error.code === "loan_refused",
  );
  assert.equal(full.takeBack("l"), true);
  await assert.rejects(full.lend(loan("n", ...rules(free + 1)), { timers, signal: never }), /1025 rules/);
  assert.equal(full.current, ws);
});

test("effectiveScope: reading stays, and two loans of one path are two", () => {
  const both = [loan("a", write("/ws/x"), read("/ws/y")), loan("b", write("/ws/x"))];
  assert.deepEqual(effectiveScope(ws, both).deny, [write("/ws/x"), write("/ws/x")]);
  assert.equal(effectiveScope(ws, [loan("c", read("/ws"))]), ws);
});
