/** The scheduler of `npm run prove`: fair, resumable, and stopped by the first failure. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import type { Proof } from "../support/proof.ts";
import { findProofs } from "./find-proofs.ts";
import { loadPositions, savePositions } from "./position.ts";
import { runSchedule } from "./schedule.ts";

/** A clock that only cases move. */
function scriptedProofs(costsMs: Readonly<Record<string, number>>, prove: number, fails?: string) {
  let nowMs = 0;
  const ran: string[] = [];
  const proofs = Object.entries(costsMs).map(([name, costMs]): Proof => ({
    name,
    cases: { test: 1, prove },
    check: async (index) => {
      nowMs += costMs;
      ran.push(`${name}${index}`);
      if (`${name}${index}` === fails) throw new Error(`planted in ${fails}`);
    },
  }));
  return { proofs, ran, now: () => nowMs };
}

test("time, not the number of cases, is shared fairly", async () => {
  const { proofs, now, ran } = scriptedProofs({ slow: 10, quick: 1 }, 1_000);
  const outcome = await runSchedule({ proofs, now, positions: new Map(), untilMs: 220 });
  assert.deepEqual(Object.fromEntries(outcome.positions), { slow: 11, quick: 110 });
  assert.equal(outcome.ran, ran.length);
});

test("a run goes on where the last one stopped and ends when every proof is done", async () => {
  const { proofs, now, ran } = scriptedProofs({ a: 1, b: 1 }, 3);
  const first = await runSchedule({ proofs, now, positions: new Map(), untilMs: 3 });
  const second = await runSchedule({ proofs, now, positions: first.positions, untilMs: Infinity });
  assert.deepEqual(ran.sort(), ["a0", "a1", "a2", "b0", "b1", "b2"]);
  assert.deepEqual(Object.fromEntries(second.positions), { a: 3, b: 3 });
  const third = await runSchedule({ proofs, now, positions: second.positions, untilMs: Infinity });
  assert.equal(third.ran, 0);
});

test("however little time there is, every proof gets one case", async () => {
  const { proofs, now, ran } = scriptedProofs({ a: 50, b: 50, c: 50 }, 9);
  await runSchedule({ proofs, now, positions: new Map(), untilMs: 1 });
  assert.deepEqual(ran, ["a0", "b0", "c0"]);
});

test("the first failure stops the run, and its case is the next one", async () => {
  const { proofs, now, ran } = scriptedProofs({ a: 1, b: 1 }, 100, "b4");
  const outcome = await runSchedule({ proofs, now, positions: new Map(), untilMs: Infinity });
  assert.equal(outcome.failure?.name, "b");
  assert.equal(outcome.failure?.index, 4);
  assert.match(String(outcome.failure?.cause), /planted in b4/);
  assert.equal(outcome.positions.get("b"), 4);
  assert.equal(ran.at(-1), "b4");
});

test("an aborted run starts no further case", async () => {
  const { proofs, now } = scriptedProofs({ a: 1 }, 100);
  const stop = new AbortController();
  const outcome = await runSchedule({
    proofs,
    now,
    positions: new Map(),
    untilMs: Infinity,
    signal: stop.signal,
    progress: (positions) => {
      if (positions.get("a") === 7) stop.abort();
    },
  });
  assert.equal(outcome.ran, 7);
});

test("positions survive on disk, whole; a damaged file is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "yoi-prove-"));
  try {
    const path = join(folder, "below", "position.json");
    assert.deepEqual(loadPositions(path), new Map());
    const positions = new Map([["one proof", 12]]);
    savePositions(path, positions);
    savePositions(path, positions);
    assert.deepEqual(loadPositions(path), positions);
    assert.deepEqual(readdirSync(join(folder, "below")), ["position.json"]);
    writeFileSync(path, "{");
    assert.throws(() => loadPositions(path), /position\.json is not JSON; delete it/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("proofs are found by file name; a module without one and a name used twice are errors", async () => {
  const folder = mkdtempSync(join(tmpdir(), "yoi-prove-"));
  const plant = (file: string, text: string) => {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const proof = (name: string) =>
    `export const it = { name: "${name}", cases: { test: 1, prove: 2 }, check: async () => {} };\n`;
  try {
    plant("test/deep/er/b.proof.ts", proof("b"));
    plant("packages/p/test/a.proof.ts", proof("a"));
    plant("test/c.ts", proof("c"));
    assert.deepEqual(
      (await findProofs(folder)).map((found) => found.name),
      ["a", "b"],
    );
    plant("test/d.proof.ts", proof("a"));
    await assert.rejects(findProofs(folder), /two proofs are named "a"/);
    rmSync(join(folder, "test/d.proof.ts"));
    plant("test/e.proof.ts", "export const nothing = 1;\n");
    await assert.rejects(findProofs(folder), /test\/e\.proof\.ts exports no proof/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("no proof of this repository has more cases in npm test than in all", async () => {
  for (const { name, cases } of await findProofs(fileURLToPath(new URL("../../", import.meta.url)))) {
    assert.ok(cases.test <= cases.prove, name);
  }
});
