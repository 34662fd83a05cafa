/** The scripted model over compactions: each step is played once and in order, whatever left history. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, isKnown } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { compactionDefault } from "@yoi/manifest";
import type { RunReport } from "@yoi/pod";
import { manifestOf, openSimulated } from "../support/simulated-pod.ts";
import { blobTool, compactorsOf, storedSegment, storedTimeline, textInput } from "./bench.ts";

const steps = 30;
const step = (n: number) => ({
  text: `step ${n}`,
  tool_calls: [{ name: "Blob", arguments: { bytes: 6_000 } }],
});
/** One that breaks off twice, in the middle of the others. */
const broken = {
  name: "broken",
  attempts: [{ text: "half of it", cut_after: 4 }, { text: "half of it", cut_after: 7 }, step(12)],
};
const played = [
  ...Array.from({ length: steps }, (_, n) => (n === 12 ? broken : step(n))),
  { text: "all done" },
  { text: "again done" },
];
const summary = {
  tool_calls: [
    {
      name: "write_summary",
      arguments: { summary: "work went on", constraints: [], current_work: "", files: [] },
    },
  ],
};

async function lifeOf(compactor: readonly unknown[] | null) {
  const host = memoryHost({ seed: 31 });
  const said: string[] = [];
  const pod = await openSimulated({
    host,
    leases: new Map(),
    scenario: JSON.stringify({
      context_window: 20_000,
      output_tokens_max: 2_000,
      steps: played,
      ...(compactor === null ? {} : { compactor }),
    }),
    tools: [blobTool],
    manifest: manifestOf({ compaction: { ...compactionDefault, prune_threshold: 17_000 } }),
    committed: (entries: readonly Entry[]) => {
      for (const entry of entries)
        if (entry.kind === "assistant_item" && entry.item.type === "assistant_message")
          said.push(entry.item.text);
    },
  });
  /** The answers that break off are gone on with after a while. */
  const ended = async (run: Promise<RunReport>) => {
    let isOver = false;
    const over = run.finally(() => (isOver = true));
    for (let tries = 0; tries < 100 && !isOver; tries += 1) await host.advance(1_000);
    return over;
  };
  return { host, pod, said, ended };
}

const inOrder = played.slice(0, -1).flatMap((one, n) => {
  if (one === broken) return ["half", "half of", "step 12"];
  return [n < steps ? `step ${n}` : "all done"];
});

test("over many compactions each step is played once, also behind answers that broke off, and behind a rewind over a compaction", async () => {
  const { host, pod, said, ended } = await lifeOf([summary]);
  assert.equal((await ended(pod.submit(textInput("go")))).outcome.kind, "finished");
  assert.deepEqual(said, inOrder);
  const timeline = await storedTimeline(host);
  assert.ok(timeline.length > 3, `${timeline.length} segments`);
  for (const segment of compactorsOf(timeline)) {
    const [first] = timeline;
    assert.ok(first !== undefined);
    const compactor = await storedSegment(host, { ...first.ref, segment });
    assert.equal(compactor.state.turnCount, 1, "each compactor plays its list from the start");
  }
  await ended(pod.submit(textInput("and again")));
  assert.equal(said.at(-1), "again done");
  const sixth = timeline[0]?.entries.find(
    (entry) => isKnown(entry) && entry.kind === "turn_end" && entry.turn_count === 3,
  );
  assert.ok(sixth !== undefined);
  await pod.rewind({ id: `${sixth.seq}`, side: "behind" });
  const before = said.length;
  await ended(pod.resume());
  assert.deepEqual(said.slice(before), inOrder.slice(3));
  await pod.close();
});

test("without a list for compactors no step is eaten: one fails at once and says why, and rules do it", async () => {
  const { host, pod, said, ended } = await lifeOf(null);
  assert.equal((await ended(pod.submit(textInput("go")))).outcome.kind, "finished");
  assert.deepEqual(said, inOrder);
  const timeline = await storedTimeline(host);
  assert.ok(timeline.length > 2);
  const end = timeline[0]?.entries.findLast((entry) => entry.kind === "compacted");
  assert.ok(end !== undefined && isKnown(end) && end.kind === "compacted");
  assert.match(
    end.message ?? "",
    /The scenario sim\.yaml has no list compactor, so no summary comes of it\./,
  );
  await pod.close();
});
