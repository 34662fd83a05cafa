/** Single items that are large for the window: what fits is sent as it is, what does not is cut once, and the run goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import type { MadeAnswer } from "./answering-model.ts";
import { openCompacting, storedTimeline, textInput, wordsOf } from "./bench.ts";

/** Of it 18,000 tokens are to be asked with: room is made over 12,600 or 15,300, 8,820 are aimed at, and 17,100 are sent at most. A token has four bytes. */
const contextWindow = 20_000;
const sentMax = 17_100;

interface Row {
  readonly what: string;
  readonly inputs: readonly string[];
  readonly answers: readonly MadeAnswer[];
  readonly compactions: number;
  /** Tokens of the last request at least. */
  readonly lastMin: number;
}

const rows: readonly Row[] = [
  {
    what: "an input over the threshold that fits is sent whole, and nothing is compacted",
    inputs: [wordsOf(60_000)],
    answers: [{ text: "read" }],
    compactions: 0,
    lastMin: 15_000,
  },
  {
    what: "an input larger than the window is cut, and answered",
    inputs: [wordsOf(200_000)],
    answers: [{ text: "read" }],
    compactions: 1,
    lastMin: 8_000,
  },
  {
    what: "an answer larger than the window is cut, and the next input is answered",
    inputs: ["tell me all", "and now?"],
    answers: [{ text: wordsOf(200_000) }, { text: "that was all" }],
    compactions: 1,
    lastMin: 8_000,
  },
  {
    what: "beside arguments that cannot be cut a result is, and what is over the threshold then is sent",
    inputs: ["go"],
    answers: [{ calls: [{ name: "Blob", args: { bytes: 40_000, why: wordsOf(52_000) } }] }, { text: "seen" }],
    compactions: 1,
    lastMin: 15_301,
  },
  {
    what: "arguments larger than the window leave history with their result, and are told of",
    inputs: ["go"],
    answers: [
      { calls: [{ name: "Blob", args: { bytes: 40_000, why: wordsOf(200_000) } }] },
      { text: "told" },
    ],
    compactions: 1,
    lastMin: 0,
  },
];

for (const { what, inputs, answers, compactions, lastMin } of rows)
  test(what, async () => {
    const host = memoryHost({ seed: 1 });
    const sizes: number[] = [];
    const pod = await openCompacting({
      host,
      leases: new Map(),
      contextWindow,
      answer: (_request, n) => answers[n] ?? assert.fail(`request ${n} is one too many`),
      sent: (_request, tokens) => sizes.push(tokens),
    });
    const ends: string[] = [];
    for (const input of inputs) ends.push((await pod.submit(textInput(input))).outcome.kind);
    await pod.close();
    assert.deepEqual(
      ends,
      inputs.map(() => "finished"),
    );
    assert.equal((await storedTimeline(host)).length - 1, compactions);
    assert.equal(sizes.length, answers.length);
    assert.ok(Math.max(...sizes) <= sentMax, String(sizes));
    assert.ok((sizes.at(-1) ?? 0) >= lastMin, String(sizes));
  });
