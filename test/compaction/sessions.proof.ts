/** I12 over whole sessions: whatever sizes come in, whatever a compactor does, no request is over the limit, no run loops, and what is logged verifies. */
import assert from "node:assert/strict";
import { isKnown } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { compactionDefault } from "@yoi/manifest";
import { verifyPod } from "@yoi/pod";
import { seededRandom, type SeededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { compactionLimits } from "../../packages/pod/src/compact/plan/limits.ts";
import type { Proof } from "../support/proof.ts";
import { simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { answeringModel, type MadeAnswer } from "./answering-model.ts";
import { openCompacting, shortSummary, storedTimeline, textInput, wordsOf } from "./bench.ts";

const windows = [4_000, 8_000, 20_000] as const;
const inputsMax = 6;
const stepsMax = 6;
/** A run that has not ended after so many requests goes round. */
const requestsMax = 200;
/** What an estimate may be wrong by: it is of the bytes of items, and a request has commas between them. */
const slackTokens = 64;

export interface Planted {
  /** The Pod takes the window for much larger than it is. */
  readonly sendsAnything?: boolean;
}

/** Now and then larger than the window. */
function sizeOf(random: SeededRandom, window: number): number {
  const most = [16, 400, window, window * 4, window * 8][random.below(5)] ?? 16;
  return 1 + random.below(most);
}

function compactorOf(random: SeededRandom, window: number): () => MadeAnswer {
  const ways: readonly (() => MadeAnswer)[] = [
    () => shortSummary,
    () => ({ text: "no summary" }),
    () => ({ failure: { kind: "server", message: "It is down.", retryable: false } }),
    () => ({ calls: [{ name: "write_summary", args: { summary: wordsOf(1 + random.below(window * 4)) } }] }),
    () => ({ calls: [{ name: "Blob", args: { bytes: 1 + random.below(window * 8) } }] }),
  ];
  return () => ways[random.below(ways.length)]?.() ?? shortSummary;
}

export async function sessionCase(seed: number, planted: Planted = {}): Promise<void> {
  const random = seededRandom(seed ^ 0x51ab3c07);
  const contextWindow = windows[random.below(windows.length)] ?? 4_000;
  const outputTokensMax = Math.floor(contextWindow / 10);
  const { limit } = compactionLimits(compactionDefault, { contextWindow, outputTokensMax });
  const host = memoryHost({ seed });
  const leases = new Map();
  let steps = 0;
  let requests = 0;
  const pod = await openCompacting({
    host,
    leases,
    contextWindow: planted.sendsAnything === true ? contextWindow * 20 : contextWindow,
    compactor: compactorOf(random, contextWindow),
    sent: (_request, tokens) => {
      requests += 1;
      assert.ok(requests < requestsMax, "it goes round");
      assert.ok(tokens <= limit + slackTokens, `${tokens} tokens were sent, with a limit of ${limit}`);
    },
    answer: () => {
      if (random.below(stepsMax) === 0 || steps > stepsMax) return { text: wordsOf(1 + random.below(400)) };
      steps += 1;
      const calls = Array.from({ length: 1 + random.below(3) }, () => ({
        name: "Blob",
        args: { bytes: sizeOf(random, contextWindow) },
      }));
      return { calls };
    },
  });
  for (let input = 0; input < 1 + random.below(inputsMax); input += 1) {
    steps = 0;
    requests = 0;
    const { outcome } = await pod.submit(textInput(wordsOf(sizeOf(random, contextWindow / 2)) || "go"));
    const isFull = outcome.kind === "failed" && outcome.failure.kind === "context_full";
    assert.ok(outcome.kind === "finished" || isFull, JSON.stringify(outcome));
  }
  await pod.close();
  for (const { entries } of await storedTimeline(host)) {
    const begun = entries.filter((entry) => isKnown(entry) && entry.kind === "compaction_begun").length;
    const ended = entries.filter(
      (entry) => isKnown(entry) && entry.kind === "compacted" && entry.outcome !== "committed",
    );
    assert.ok(begun - ended.length <= 1, "a try has no end");
  }
  const made = answeringModel({ id: "model", contextWindow, answer: () => ({ text: "never asked" }) });
  const verified = await verifyPod(simulatedStores(host, leases), simulatedPod, {
    wireRequestsMax: 20,
    openModel: async () => made,
  });
  assert.deepEqual(verified.problems, []);
}

export const compactingSessions: Proof = {
  name: "I12: sessions of any sizes: no request over the limit, no loop, everything verifies",
  cases: { test: 10, prove: 2_000 },
  check: (index) => sessionCase(index),
};
