/** Going back over a compaction, and forward to behind it: an item is where it was written first, whichever segment carries it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { SessionState } from "@yoi/session-store";
import { openCompacting, storedTimeline, textInput } from "../compaction/bench.ts";

const steps = 12;
const ids = ({ items }: SessionState): readonly string[] => items.map(idOf);
const withoutNotes = ({ items }: SessionState): readonly string[] =>
  items.flatMap((one) => (one.item.type === "system_item" && one.item.kind === "lineage" ? [] : [idOf(one)]));

test("a place before a compaction has the whole history again, and the compacted one can be gone to from there", async () => {
  const host = memoryHost({ seed: 1 });
  const pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow: 20_000,
    answer: (_request: unknown, n: number) =>
      n < steps
        ? { text: `step ${n}`, calls: [{ name: "Blob", args: { bytes: 8_000 } }] }
        : { text: "all done" },
    compaction: { prune_threshold: 17_000 },
  });
  await pod.submit(textInput("do it"));
  const [old, compacted] = await storedTimeline(host);
  assert.ok(old !== undefined && compacted !== undefined);
  const spent = compacted.state.spent;
  // Carried over the compaction, whole.
  const carried = compacted.state.items.filter(({ id = "" }) => !id.startsWith("1-")).at(0);
  assert.ok(carried?.id !== undefined && ids(old.state).includes(carried.id));
  const at = Math.max(
    ...old.state.items.filter(({ seq }) => seq <= Number(carried.id)).map(({ seq }) => seq),
  );

  const back = await pod.rewind({ id: carried.id, side: "behind" });
  const [first, second, third] = await storedTimeline(host);
  assert.deepEqual([first?.state.generation, second?.state.generation, third?.state.generation], [0, 1, 2]);
  assert.ok(third !== undefined);
  const expected = old.state.items.filter(({ seq }) => seq <= at).map(idOf);
  assert.deepEqual(withoutNotes(third.state), expected);
  assert.equal(third.state.origin?.segment_id, old.ref.segment);
  assert.deepEqual(third.state.spent, spent);

  const forward = await pod.rewind({ id: back.left, side: "behind" });
  const last = (await storedTimeline(host)).at(-1);
  assert.ok(last !== undefined);
  assert.deepEqual(withoutNotes(last.state), ids(compacted.state));
  assert.deepEqual(last.state.states, compacted.state.states);
  assert.equal(forward.turns, compacted.state.turnCount);
  // What was folded into the states when it was compacted is not told to features again.
  assert.deepEqual(
    last.state.items.slice(0, -1).map(({ folded }) => folded ?? false),
    compacted.state.items.map(({ folded }) => folded ?? false),
  );
  const { targets } = await pod.rewindTargets({ limit: 100 });
  assert.ok(targets.some(({ generation, effects }) => generation === 0 && effects !== null));
  await pod.close();
});
