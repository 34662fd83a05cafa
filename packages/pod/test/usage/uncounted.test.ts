/** A budget over a provider that counts nothing: it is reached all the same, by estimates, and the user is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noBudget, noUsage, type Tool } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { type Model, withStream } from "@yoi/model";
import { manifestOf, openSimulated } from "../../../../test/support/simulated-pod.ts";

const look: Tool = {
  definition: { name: "Look", description: "Looks.", input_schema: { type: "object" } },
  readOnly: true,
  execute: async () => ({ summary: "looked", content: "line of text\n".repeat(100) }),
};
const steps = 60;
const scenario = `{ steps: [${"{ tool_calls: [{ name: Look, arguments: {} }] }, ".repeat(steps)}{ text: done }] }`;

function uncounted(scripted: Model): Model {
  return withStream(scripted, async function* (request, options) {
    for await (const event of scripted.stream(request, options))
      yield event.type === "finish" ? { ...event, usage: noUsage } : event;
  });
}

async function run(max_tokens: number | null) {
  const pod = await openSimulated({
    host: memoryHost({ seed: 1 }),
    leases: new Map(),
    scenario,
    tools: [look],
    wrapModel: uncounted,
    manifest: manifestOf(max_tokens === null ? {} : { budget: { ...noBudget, max_tokens } }),
  });
  const { outcome } = await pod.submit([{ type: "text", text: "go" }]);
  const { turns } = pod.snapshot;
  await pod.close();
  return { outcome, turns };
}

test("a budget of tokens ends the run of a model whose provider counts nothing", async () => {
  const max = 20_000;
  const { outcome, turns } = await run(max);
  assert.ok(outcome?.kind === "limit_reached" && outcome.limit === "budget");
  assert.ok(outcome.used >= max && outcome.used < 2 * max, `${outcome.used} of ${max}`);
  assert.ok(turns > 3 && turns < steps, `${turns} turns`);
  // Control: without one it goes on to its end.
  assert.equal((await run(null)).outcome?.kind, "finished");
});
