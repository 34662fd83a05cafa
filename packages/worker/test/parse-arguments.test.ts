/** How deep the arguments of a call may be nested, at n and n + 1; deeper ones cost the call, not the run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonDepthMax } from "@yoi/base";
import { parseArguments } from "../src/parse-arguments.ts";
import { bench, tool } from "./support/bench-worker.ts";

/** An object of `depth` levels in all. */
const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

test("128 levels are read, 129 are refused, and 200,000 overflow nothing", () => {
  assert.ok("args" in parseArguments("T", nested(jsonDepthMax)));
  for (const depth of [jsonDepthMax + 1, 200_000]) {
    assert.deepEqual(parseArguments("T", nested(depth)), {
      problem:
        "the arguments of T are nested deeper than 128 levels; make the call again with a flatter JSON object",
    });
  }
});

test("a call with arguments that are too deep gets an error result, and the run goes on, resumed ones too", async () => {
  const scenario = JSON.stringify({
    steps: [{ tool_calls: [{ name: "Echo", arguments: nested(20_000) }] }, { text: "end" }],
  });
  let open = false;
  const b = bench({
    scenario,
    tools: [tool("Echo", async () => assert.fail("it ran"))],
    points: {
      turnEnd: async () => (open ? { action: "finish" } : { action: "pause", reason: "look" }),
    },
  });
  assert.equal((await b.run("go")).kind, "paused");
  open = true;
  assert.deepEqual(await b.run(null), { kind: "finished", text: "end" });
  assert.deepEqual(b.history.story().slice(2), [
    "error: the arguments of Echo are nested deeper than 128 levels; make the call again with a flatter JSON object",
    "text: end",
  ]);
});
