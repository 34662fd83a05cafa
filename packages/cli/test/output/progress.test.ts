/** Progress lines. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, noUsage } from "@yoi/base";
import { Progress } from "../../src/output/progress.ts";

function record(isTerminal: boolean, columns = 60) {
  const written: string[] = [];
  const progress = new Progress({ isTerminal, columns, write: (text) => void written.push(text) });
  return { progress, written };
}
const place = { seq: 2, batch: 2, ts: 0 };
const result = {
  ...place,
  kind: "tool_result",
  item: { type: "tool_result", call: callId(1, 0), name: "Bash", summary: "$ ls", is_error: false },
} as const;

const counted = { ...place, kind: "llm_usage", request: 1, finish: "interrupted", usage: noUsage } as const;

test("off a terminal only what went wrong is said, a line each", () => {
  const { progress, written } = record(false);
  progress.live({ type: "turn", turn: 1 });
  progress.committed(result);
  progress.live({ type: "alert", level: "warn", source: "host", message: "careful", at: 0 });
  progress.end();
  assert.deepEqual(written, ["careful\n"]);
});

test("on a terminal there is one live line with the current tool and tokens, and it is taken away", () => {
  const { progress, written } = record(true);
  progress.committed({ ...counted, usage: { ...noUsage, input_tokens: 12, output_tokens: 3 } });
  progress.live({ type: "tool_start", call: callId(1, 0), name: "Bash", title: "$ sleep 1" });
  progress.committed(result);
  assert.equal(written.at(-3), "\r\u001b[K… $ sleep 1 (12 in, 3 out)");
  assert.deepEqual(written.slice(-2), ["\r\u001b[K", "✓ Bash: $ ls\n"]);
});

test("the live line says what the run cost so far, as far as that is known", () => {
  const { progress, written } = record(true);
  const line = () => written.at(-1)?.slice("\r\u001b[K".length);
  progress.committed(counted);
  assert.equal(line(), "… working (0 in, 0 out)");
  progress.committed({ ...counted, cost_nano_usd: 1_200_000 });
  assert.equal(line(), "… working (0 in, 0 out, over $0.0012)");
});

test("answers that broke off and attempts that failed are counted in it", () => {
  const { progress, written } = record(true);
  const usage = { ...noUsage, input_tokens: 900, output_tokens: 12 };
  progress.committed({ ...counted, attempt: 1, usage, cost_nano_usd: 1_200_000 });
  progress.committed({ ...counted, usage: { ...usage, input_tokens: 950 }, cost_nano_usd: 300_000 });
  assert.equal(written.at(-1), "\r\u001b[K… working (950 in, 24 out, $0.0015)");
  // What was refused was free, and measured nothing.
  progress.committed({ ...counted, cost_nano_usd: 0 });
  assert.equal(written.at(-1), "\r\u001b[K… working (950 in, 24 out, $0.0015)");
  const piped = record(false);
  piped.progress.committed({ ...counted, usage });
  assert.deepEqual(piped.written, []);
});

test("what a tool or model says cannot move the cursor or break the line", () => {
  const { progress, written } = record(true, 40);
  progress.live({
    type: "tool_start",
    call: callId(1, 0),
    name: "Bash",
    title: `\u001b[2J\r\n${"x".repeat(100)}`,
  });
  const line = written.at(-1)?.slice("\r\u001b[K".length) ?? "";
  assert.ok(!/[\u0000-\u001f]/.test(line));
  assert.ok([...line].length < 40);
});
