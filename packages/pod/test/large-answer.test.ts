/** Answers that arrive in one huge piece, over the real store and its limit of an entry: the run ends well, and history holds what came. */
import assert from "node:assert/strict";
import test from "node:test";
import { type AssistantItem, isKnown, utf8Length } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { entryBytesMax } from "@yoi/session-store";
import {
  effectTool,
  openSimulated,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../test/support/simulated-pod.ts";
import { readActive } from "../src/index.ts";

/** What history holds of the first answer, and how long the longest recorded piece of it is, in bytes of JSON. */
async function answered(answer: object): Promise<{
  readonly item: AssistantItem | undefined;
  readonly pieceBytes: number;
  readonly results: string[];
}> {
  const host = memoryHost({ seed: 1 });
  const leases = new Map();
  const scenario = JSON.stringify({
    chunk: 4_000_000,
    context_window: 2_000_000,
    steps: [answer, { text: "Done." }],
  });
  const pod = await openSimulated({ host, leases, scenario, tools: [effectTool(new World(), host)] });
  const { outcome } = await pod.submit([{ type: "text", text: "go" }]);
  await pod.close();
  assert.equal(outcome.kind, "finished", JSON.stringify(outcome).slice(0, 200));
  const { view } = await readActive(simulatedStores(host, leases), simulatedPod);
  const entries = view.entries.filter(isKnown);
  return {
    item: entries.flatMap((entry) => (entry.kind === "assistant_item" ? [entry.item] : []))[0],
    pieceBytes: Math.max(
      ...entries.map((entry) => (entry.kind === "assistant_partial" ? utf8Length(JSON.stringify(entry)) : 0)),
    ),
    results: entries.flatMap((entry) => (entry.kind === "tool_result" ? [entry.item.summary] : [])),
  };
}

test("a text in one delta of 1.5 MB, and one that JSON makes six times as long, are recorded in pieces", async () => {
  for (const text of ["x".repeat(1_500_000), "\u0001".repeat(300_000)]) {
    assert.ok(utf8Length(JSON.stringify(text)) > entryBytesMax);
    const { item, pieceBytes } = await answered({ text });
    assert.ok(item?.type === "assistant_message" && item.text === text);
    assert.ok(pieceBytes > 4096 && pieceBytes <= 64 * 1024, `${pieceBytes} bytes`);
  }
});

test("arguments in one delta of 1.5 MB are whole", async () => {
  const args = JSON.stringify({ what: "x".repeat(1_500_000) });
  const { item, pieceBytes, results } = await answered({ tool_calls: [{ name: "Effect", arguments: args }] });
  assert.ok(item?.type === "tool_call" && item.arguments === args);
  assert.ok(pieceBytes > 4096 && pieceBytes <= 64 * 1024, `${pieceBytes} bytes`);
  assert.match(results[0] ?? "", /^did x+/);
});

test("a tool name of 1.2 MB is cut, and no tool has it", async () => {
  const call = { name: "Effect".repeat(200_000), arguments: { what: "x".repeat(5_000) } };
  const { item, pieceBytes, results } = await answered({ tool_calls: [call] });
  assert.ok(item?.type === "tool_call");
  assert.deepEqual([utf8Length(item.name), call.name.startsWith(item.name)], [256, true]);
  assert.ok(pieceBytes > 4096 && pieceBytes <= 64 * 1024, `${pieceBytes} bytes`);
  assert.match(
    results[0] ?? "",
    /^there is no tool named "(Effect)+Effe"; the tools are: Effect, SessionRead, SessionSearch$/,
  );
});
