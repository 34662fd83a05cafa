/** The limits of the loop as they are by default: each by its name, at n and one more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type ToolResult, utf8Length } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { Answer, toolNameBytesMax } from "../src/answer.ts";
import { callTitle, titleBytesMax } from "../src/call-title.ts";
import { defaultLimits } from "../src/index.ts";
import { PartialWriter, pieceUnitsMax } from "../src/partial-writer.ts";
import { previewBytesMax } from "../src/turn.ts";
import { bench, gate, tool } from "./support/bench-worker.ts";
import { LogHistory } from "./support/log-history.ts";

const steps = (...all: readonly unknown[]) => JSON.stringify({ steps: all });
const ends = { text: "end" };

test("the limits by default", () => {
  assert.deepEqual(
    { ...defaultLimits, titleBytesMax, previewBytesMax, toolNameBytesMax, pieceUnitsMax },
    {
      summaryBytesMax: 2_048,
      contentBytesMax: 65_536,
      imagesMax: 4,
      imageBytesMax: 6_291_456,
      recordBytesMax: 32_768,
      parallelCallsMax: 8,
      continuationsMax: 3,
      partialIntervalMs: 250,
      partialBytesMax: 4_096,
      cancelGraceMs: 5_000,
      retryWaitMsMax: 300_000,
      titleBytesMax: 120,
      previewBytesMax: 512,
      toolNameBytesMax: 256,
      pieceUnitsMax: 10_000,
    },
  );
});

test("continuationsMax: so many broken answers in a row are gone on from, one more pauses the run", async () => {
  const broken = (times: number) => Array.from({ length: times }, () => ({ text: "abc", cut_after: 1 }));
  const { continuationsMax } = defaultLimits;
  const enough = bench({ scenario: steps({ attempts: [...broken(continuationsMax), ends] }) });
  assert.equal((await enough.run("go")).kind, "finished");
  const tooMany = bench({ scenario: steps({ attempts: [...broken(continuationsMax + 1), ends] }) });
  const outcome = await tooMany.run("go");
  assert.deepEqual(outcome.kind === "paused" && outcome.reason, "network");
  for (const kind of ["rate_limit", "overloaded"]) {
    const failure = { kind };
    const attempts = Array.from({ length: continuationsMax + 1 }, () => ({ text: "abc", failure }));
    const limited = await bench({ scenario: steps({ attempts: [...attempts, ends] }) }).run("go");
    const reason = kind === "rate_limit" ? "provider_limit" : "network";
    assert.deepEqual(limited.kind === "paused" && limited.reason, reason);
  }
});

test("retryWaitMsMax: that long a wait is waited in mid-answer, one more pauses the run", async () => {
  const { retryWaitMsMax } = defaultLimits;
  for (const [ms, kind] of [
    [retryWaitMsMax, "finished"],
    [retryWaitMsMax + 1, "paused"],
  ] as const) {
    const failure = { kind: "rate_limit", retry_after_ms: ms };
    const b = bench({ scenario: steps({ attempts: [{ text: "half", failure }, ends] }) });
    const run = b.start("go");
    await b.host.advance(ms);
    assert.equal((await run).kind, kind);
  }
});

/** Pieces on record after `text` arrived and `ms` passed. */
async function pieces(text: string, ms: number): Promise<number> {
  const { timers, advance } = memoryHost({ seed: 1 });
  const history = new LogHistory();
  const failed = (error: unknown) => assert.fail(String(error));
  const writer = new PartialWriter(7, { history, timers, limits: defaultLimits, failed });
  const answer = new Answer({ provider: "p", id: "m" }, 0);
  answer.apply({ type: "block_start", index: 0, block: "text" });
  writer.arrived(answer.apply({ type: "block_delta", index: 0, text }), text);
  await advance(ms);
  await writer.close();
  return history.kinds("assistant_partial").length;
}

test("partialIntervalMs and partialBytesMax: what waits is recorded then, not before", async () => {
  const { partialIntervalMs, partialBytesMax } = defaultLimits;
  assert.deepEqual([await pieces("a", partialIntervalMs - 1), await pieces("a", partialIntervalMs)], [0, 1]);
  assert.deepEqual(
    [await pieces("x".repeat(partialBytesMax - 1), 0), await pieces("x".repeat(partialBytesMax), 0)],
    [0, 1],
  );
});

test("cancelGraceMs: a cancelled tool that ends within it keeps its result, one that does not is given up", async () => {
  const { cancelGraceMs } = defaultLimits;
  for (const [ms, story] of [
    [cancelGraceMs - 1, ["result: ended"]],
    [cancelGraceMs + 1, ["error: outcome unknown, check before repeating", "note: interrupt"]],
  ] as const) {
    const began = gate();
    const controller = new AbortController();
    const b = bench({
      scenario: steps({ tool_calls: [{ name: "Slow" }] }, ends),
      tools: [
        tool("Slow", async (_args, { signal }) => {
          began.open();
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          await b.host.timers.sleep(ms);
          return { summary: "ended" };
        }),
      ],
    });
    const run = b.start("go", { signal: controller.signal });
    await began.promise;
    controller.abort();
    await b.host.advance(ms + 1);
    assert.deepEqual(await run, { kind: "cancelled" });
    assert.deepEqual(b.history.story().slice(2), story);
  }
});

test("summaryBytesMax and contentBytesMax: a result of that size stays, one byte more is cut to it", async () => {
  const { summaryBytesMax, contentBytesMax } = defaultLimits;
  for (const more of [0, 1]) {
    const summary = "s".repeat(summaryBytesMax + more);
    const content = "c".repeat(contentBytesMax + more);
    const b = bench({
      scenario: steps({ tool_calls: [{ name: "Big" }] }, ends),
      tools: [tool("Big", async () => ({ summary, content }))],
    });
    await b.run("go");
    const result = b.history.items.map(({ item }) => item).find((item) => item.type === "tool_result");
    assert.ok(result);
    const whole: ToolResult = {
      type: "tool_result",
      call: result.call,
      name: "Big",
      summary,
      content,
      is_error: false,
    };
    if (more === 0) assert.deepEqual(result, whole);
    else {
      for (const [text, bytesMax] of [
        [result.summary, summaryBytesMax],
        [result.content ?? "", contentBytesMax],
      ] as const) {
        assert.match(text, /\n\[\d+ bytes dropped: ask for less at a time\]$/);
        assert.ok(utf8Length(text) <= bytesMax && utf8Length(text) > bytesMax - 8);
      }
    }
  }
});

test("parallelCallsMax: so many calls run at a time, one more waits", async () => {
  const { parallelCallsMax } = defaultLimits;
  for (const count of [parallelCallsMax, parallelCallsMax + 1]) {
    let running = 0;
    let most = 0;
    const b = bench({
      scenario: steps({ tool_calls: Array.from({ length: count }, () => ({ name: "Wait" })) }, ends),
      tools: [
        tool("Wait", async () => {
          running += 1;
          most = Math.max(most, running);
          await b.host.timers.sleep(10);
          running -= 1;
          return { summary: "waited" };
        }),
      ],
    });
    assert.equal((await b.run("go")).kind, "finished");
    assert.equal(most, parallelCallsMax);
    assert.equal(b.history.kinds("tool_result").length, count);
  }
});

test("titleBytesMax: an argument of that size is shown whole, one byte more is cut", () => {
  const shown = "x".repeat(titleBytesMax);
  assert.equal(callTitle("T", { a: shown }), `T ${shown}`);
  assert.equal(callTitle("T", { a: `${shown}x` }), `T ${shown}…`);
});

test("previewBytesMax: a final text of that size is shown whole to turn-end hooks, one byte more is cut", async () => {
  const previews: string[] = [];
  for (const length of [previewBytesMax, previewBytesMax + 1]) {
    const b = bench({
      scenario: steps({ text: "x".repeat(length) }),
      points: {
        turnEnd: async ({ finalTextPreview }) => {
          previews.push(finalTextPreview);
          return { action: "finish" };
        },
      },
    });
    await b.run("go");
  }
  assert.deepEqual(previews, ["x".repeat(previewBytesMax), "x".repeat(previewBytesMax)]);
});

test("toolNameBytesMax: a name of that size is kept as it was written, one byte more is cut", () => {
  const kept = "n".repeat(toolNameBytesMax);
  for (const name of [kept, `${kept}n`]) {
    const answer = new Answer({ provider: "p", id: "m" }, 0);
    answer.apply({ type: "block_start", index: 0, block: "tool_call", name });
    answer.apply({ type: "block_end", index: 0, text: "{}" });
    assert.deepEqual(
      answer.complete(7, false).entries.map(({ item }) => item),
      [{ type: "tool_call", call: callId(7, 0), name: kept, arguments: "{}" }],
    );
  }
});
