/** Which inputs go back to their client when their run is stopped: those to which no answer had begun. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { LineClient, served, text } from "./support.ts";

const call = { name: "Effect", arguments: { what: "x".repeat(100) } };

for (const [what, step, end] of [
  ["an answer of which nothing came", { delay_ms: 60_000, text: "Late." }, "turn_rolled_back"],
  ["an answer that began with a piece of a call", { pace_ms: 500, tool_calls: [call] }, "run_completed"],
  ["an answer that began with text", { pace_ms: 500, text: "x".repeat(100) }, "run_completed"],
] as const) {
  test(`a cancel in ${what} ends as ${end}`, async () => {
    const host = memoryHost({ seed: 1 });
    const scenario = JSON.stringify({ chunk: 1, steps: [{ attempts: [step] }] });
    await using it = await served({ host, scenario });
    const client = await LineClient.hello(await it.place.connect());
    await client.ask("submit", { parts: text("go"), submission: "s" });
    await host.advance(6_000);
    await client.ask("cancel", {});
    await host.advance(2_000);
    await client.liveOf("run_ended");
    const ends = client.entries.filter(({ kind }) => kind.startsWith("run_") || kind === "turn_rolled_back");
    assert.deepEqual(
      ends.map(({ kind }) => kind),
      [end],
    );
  });
}
