/** The scripted model without a pace: what else waits in the process has its turn in between. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import type { ModelEvent } from "../src/model.ts";
import { burstMax, play } from "../src/scripted/play.ts";
import { parseScenario } from "../src/scripted/parse.ts";

for (const [pieces, inFirst] of [
  [burstMax - 1, burstMax - 1],
  [burstMax, burstMax - 1],
  [3 * burstMax, burstMax - 1],
] as const) {
  test(`of ${pieces} pieces ${inFirst} come in one go, and a cancel then ends what is left`, async () => {
    const { timers } = memoryHost({ seed: 1 });
    const stop = new AbortController();
    const scenario = JSON.stringify({ steps: [{ text: "x".repeat(pieces), chunk: 1 }] });
    const attempt = parseScenario("s.yaml", scenario).steps[0]?.attempts[0];
    assert.ok(attempt);
    const heard: ModelEvent[] = [];
    const played = (async () => {
      for await (const event of play(attempt, { timers, signal: stop.signal, inputTokens: 0 }))
        heard.push(event);
    })();
    const ended = played.then(
      () => "played",
      (reason: unknown) => (reason === stop.signal.reason ? "stopped" : "failed"),
    );
    await new Promise<void>((resolve) => setImmediate(resolve));
    assert.equal(heard.filter(({ type }) => type === "block_delta").length, inFirst);
    stop.abort();
    assert.equal(await ended, pieces < burstMax ? "played" : "stopped");
  });
}
