/** A call that was allowed and waits for the path that another one claims: it starts once, whatever happens to the Pod meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "@yoi/base";
import { effectTool } from "../../../../test/support/simulated-pod.ts";
import { allow, Asking } from "./asking.ts";

test("what is allowed and waits for its path when the run is paused, or its process dies, runs once when the run goes on", async () => {
  const tool_calls = ["a", "b"].map((what) => ({ name: "Effect", arguments: { what, lane: "L" } }));
  const scenario = JSON.stringify({ steps: [{ tool_calls }, { text: "end" }] });
  for (const how of ["pause", "kill"] as const) {
    const m = new Asking(scenario);
    const slow = (): readonly Tool[] => {
      const tool = effectTool(m.world, m.host);
      const execute: Tool["execute"] = async (args, context) => {
        const output = await tool.execute(args, context);
        await m.host.timers.sleep(60_000, context.signal).catch(() => {});
        return output;
      };
      return [{ ...tool, execute }];
    };
    const { pod, run } = await m.asked({ tools: slow() });
    for (const { digest } of pod.approvals) await pod.answerApproval(allow(digest));
    await m.host.advance(5);
    assert.equal((await m.entriesOf("tool_started")).length, 1, how);
    if (how === "kill") m.kill();
    else {
      pod.pause();
      await run;
      await pod.close();
    }
    const next = await m.open("ask", { tools: slow() });
    const resumed = next.resume();
    await m.host.advance(130_000);
    await resumed;
    await next.close();
    const unknown = "outcome unknown, check before repeating";
    assert.deepEqual(await m.results(), [how === "kill" ? unknown : "did a", "did b"], how);
    assert.deepEqual(
      [...m.world.effects],
      [
        ["a", 1],
        ["b", 1],
      ],
    );
  }
});
