/** write_summary: what is kept of what a compactor hands over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type JsonObject, YoiError } from "@yoi/base";
import { rewritesMax, summaryDesk, tokensOf } from "../../src/compact/write-summary.ts";

const context = { call: callId(1, 0), signal: new AbortController().signal, progress: () => {} };
const given = {
  summary: "done",
  constraints: ["never push"],
  withdrawn: [2],
  current_work: "tests",
  files: ["/w/a"],
};
const read = {
  text: "done",
  constraints: ["never push"],
  withdrawn: [2],
  currentWork: "tests",
  files: ["/w/a"],
};

async function say(desk: ReturnType<typeof summaryDesk>, args: JsonObject): Promise<string> {
  try {
    return (await desk.tool.execute(args, context)).summary;
  } catch (error) {
    assert.ok(error instanceof YoiError);
    return error.code;
  }
}

test("a summary of so many tokens is kept, and one more token is not", async () => {
  const tokens = tokensOf(read);
  const fits = summaryDesk(tokens);
  assert.equal(await say(fits, given), "the summary is kept");
  assert.deepEqual([fits.summary, fits.failure], [read, null]);
  const tooLong = summaryDesk(tokens - 1);
  assert.equal(await say(tooLong, given), "limit_exceeded");
  assert.deepEqual([tooLong.summary, tooLong.failure], [null, null]);
});

test("one that is too long may be written again once; the second time it has failed", async () => {
  const desk = summaryDesk(5);
  for (let time = 0; time < rewritesMax; time += 1) await say(desk, given);
  assert.equal(desk.failure, null);
  const long = { ...given, summary: "x".repeat(100) };
  assert.equal(await say(desk, long), "limit_exceeded");
  assert.match(
    desk.failure ?? "",
    /^its summary was too long again: it has about \d+ tokens, and at most 5 are kept$/,
  );
  const rewritten = summaryDesk(5);
  await say(rewritten, long);
  assert.equal(await say(rewritten, { summary: "short" }), "the summary is kept");
  assert.deepEqual(rewritten.summary, {
    text: "short",
    constraints: [],
    withdrawn: [],
    currentWork: "",
    files: [],
  });
});

test("what is no summary is refused by name, and the last one counts", async () => {
  const desk = summaryDesk(1_000);
  for (const args of [
    {},
    { summary: " " },
    { summary: 1 },
    { ...given, files: "a" },
    { ...given, constraints: [1] },
    { ...given, withdrawn: ["1"] },
    { ...given, withdrawn: [1.5] },
  ])
    assert.equal(await say(desk, args as JsonObject), "usage", JSON.stringify(args));
  assert.ok(desk.summary === null);
  await say(desk, given);
  await say(desk, { ...given, summary: "later" });
  assert.deepEqual(desk.summary, { ...read, text: "later" });
});
