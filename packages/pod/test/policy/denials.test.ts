/** What a run was refused, read back from history. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, type Item, type Refusal } from "@yoi/base";
import { DenialsOfRun } from "../../src/policy/denials.ts";

const input: Item = { type: "user_message", parts: [{ type: "text", text: "go" }] };
const text: Item = { type: "assistant_message", text: "so", status: "completed" };

function call(request: number, index: number, command: string): Item {
  return {
    type: "tool_call",
    call: callId(request, index),
    name: "Bash",
    arguments: JSON.stringify({ command }),
  };
}

function result(request: number, index: number, refusal?: Refusal): Item {
  return {
    type: "tool_result",
    call: callId(request, index),
    name: "Bash",
    summary: "why",
    is_error: true,
    ...(refusal === undefined ? {} : { refusal }),
  };
}

test("the refusals since the last input, whether asked or denied, and whether the last calls hold an asked one", () => {
  const table: readonly [string, readonly Item[], readonly string[], boolean][] = [
    ["nothing yet", [], [], false],
    ["an error is no refusal", [input, call(1, 0, "a"), result(1, 0), text], [], false],
    ["asked last", [input, call(1, 0, "a"), result(1, 0, "asked"), text], ["1.0 a asked"], true],
    ["denied last", [input, call(1, 0, "a"), result(1, 0, "denied"), text], ["1.0 a denied"], false],
    [
      "one of a batch",
      [input, call(1, 0, "a"), call(1, 1, "b"), result(1, 0, "asked"), result(1, 1)],
      ["1.0 a asked"],
      true,
    ],
    [
      "asked, and then calls that ran",
      [input, call(1, 0, "a"), result(1, 0, "asked"), call(12, 0, "b"), result(12, 0), text],
      ["1.0 a asked"],
      false,
    ],
    ["a run before the last input", [input, call(1, 0, "a"), result(1, 0, "asked"), input, text], [], false],
  ];
  for (const [name, items, wanted, lastAsked] of table) {
    const found = new DenialsOfRun();
    for (const item of items) found.take(item);
    assert.deepEqual(
      found.denials.map((d) => `${d.call} ${d.target} ${d.kind}`),
      wanted,
      name,
    );
    assert.equal(found.lastAsked, lastAsked, name);
  }
});
