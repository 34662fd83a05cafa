/** T18, runaway cost: a budget stops a model that never does, at the limit, also over SIGKILLs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { countOf, Endless } from "./endless.ts";
import { budgetOverKills } from "./kills.proof.ts";

proofTest(budgetOverKills);

test("control: a limit of each run begins anew with each process, so one kill takes it beyond", async () => {
  using pod = new Endless();
  await pod.killed(["--max-turns", "10"], 3);
  const { code } = await pod.ended(["--max-turns", "10"]);
  assert.equal(code, 5);
  const answers = countOf(pod.log, "turn_end");
  assert.ok(answers > 10);
  // What a killed process left adds up too.
  const usage = await pod.usage();
  assert.equal(usage.code, 0, usage.stderr);
  const { pods, verified } = JSON.parse(usage.stdout) as { pods: { turns: number }[]; verified: boolean };
  assert.deepEqual([pods.map(({ turns }) => turns), verified], [[answers], true]);
});

test("a bound of the cost is refused where nobody knows what the model costs: nothing is sent", async () => {
  using pod = new Endless();
  const { code, stdout } = await pod.ended(["--max-cost", "0.5"]);
  assert.equal(code, 3);
  assert.match(
    stdout,
    /max_cost_usd = 0\.5 cannot be kept, because nobody knows what scripted\/loop\.yaml costs/,
  );
  assert.deepEqual(pod.log, []);
});
