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

/** Lets everything that waits for nobody go on. */
const tick = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

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

test("lend: work that began while the same was lent and got it back meanwhile can write it, so the next lend waits for it", async () => {
  const live = new LiveScope(ws, [loan("first", write("/ws/a"))]);
  const { timers } = handTimers();
  const leave = live.enter("Edit (1.0)");
  live.takeBack("first");
  let isLent = false;
  const lent = live
    .lend(loan("again", write("/ws/a")), { timers, signal: never })
    .then(() => (isLent = true));
  await tick();
  assert.equal(isLent, false);
  leave();
  await lent;
});

/** What one step does: begins or ends work, lends a directory or takes one back, by place in what there is then. */
const anyStep = fc.record({
  what: fc.constantFrom("begin", "end", "lend", "back"),
  pick: fc.nat({ max: 7 }),
});

test(`A3-21: begun, ended, lent and taken back in any order: what is lent, nothing that goes on could write since it began (seed ${seeded.seed}, 200 runs)`, async () => {
  const directories = ["/ws/a", "/ws/b", "/ws/a/deep", "/ws/c"];
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 24 }), async (steps) => {
      const live = new LiveScope(ws);
      const { timers } = handTimers();
      const works: { readonly could: Set<string>; readonly leave: () => void }[] = [];
      const lent = new Map<string, "asked" | "made">();
      const note = (): void => {
        for (const { could } of works)
          for (const path of directories) if (permissionAt(live.current, path) === "write") could.add(path);
      };
      for (const [index, { what, pick }] of steps.entries()) {
        const target = directories[pick % directories.length] ?? "";
        if (what === "begin") works.push({ could: new Set(), leave: live.enter(`work ${index}`) });
        else if (what === "end") works.splice(pick % (works.length || 1), 1)[0]?.leave();
        else if (what === "back") {
          // Only a loan that was made comes back.
          if (lent.get(target) === "made" && live.takeBack(target)) lent.delete(target);
        } else if (permissionAt(live.current, target) === "write" && !lent.has(target)) {
          const began = works.length;
          lent.set(target, "asked");
          void live
            .lend(loan(target, write(target)), { timers, signal: never })
            .then(() => lent.set(target, "made"));
          await tick();
          assert.equal(lent.get(target), began === 0 ? "made" : "asked");
        }
        note();
        await tick();
        for (const [path, state] of lent) {
          if (state === "made")
            assert.ok(
              works.every(({ could }) => !could.has(path)),
              path,
            );
        }
      }
      for (const { leave } of works) leave();
      await tick();
      assert.deepEqual(
        [...lent.values()].filter((state) => state === "asked"),
        [],
      );
    }),
    { seed: seeded.seed, numRuns: 200 },
  );
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
