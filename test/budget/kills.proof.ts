/** A budget holds over the life of a Pod: whoever is killed on the way, the last request is the one that uses it up. */
import assert from "node:assert/strict";
import { randomOf } from "../../packages/pod/test/discovery/spending-family.ts";
import type { Proof } from "../support/proof.ts";
import { countOf, Endless, inputTokens, outputTokens } from "./endless.ts";

/** In `npm test` fewer, to be quick. */
const answersOf = (index: number) => (index < 1 ? 12 : 45);
const killsOf = (index: number) => (index < 1 ? 2 : 10);

export const budgetOverKills: Proof = {
  name: `a model that calls tools for ever stops behind ${answersOf(0)} or ${answersOf(1)} answers, over SIGKILLs`,
  cases: { test: 1, prove: 20 },
  async check(index) {
    const random = randomOf(index + 1);
    const answersMax = answersOf(index);
    const isTurns = index % 2 === 0;
    const tokens = answersMax * (inputTokens + outputTokens);
    using pod = new Endless(isTurns ? `[budget]\nmax_turns = ${answersMax}\n` : "");
    // Typed once: the Pod keeps it.
    let flags: readonly string[] = isTurns ? [] : ["--max-tokens", `${tokens}`];
    for (let kill = 0; kill < killsOf(index); kill += 1) {
      await pod.killed(flags, 1 + random(3));
      flags = [];
    }
    const { code, stderr } = await pod.ended(flags);
    const { log } = pod;
    assert.equal(code, 5, stderr);
    assert.equal(countOf(log, "turn_end"), answersMax);
    assert.equal(countOf(log, "llm_usage"), answersMax);
    const end = log.at(-1);
    assert.equal(end?.["result"], "limit_reached");
    const used = isTurns ? `${answersMax} of ${answersMax} turns` : `${tokens} of ${tokens} tokens`;
    assert.ok(String(end["detail"]).includes(`is used up (${used})`), String(end["detail"]));
    // Whoever tries again sends nothing.
    const again = await pod.ended([]);
    assert.equal(again.code, 5, again.stderr);
    assert.equal(countOf(pod.log, "llm_request"), countOf(log, "llm_request"));
  },
};
