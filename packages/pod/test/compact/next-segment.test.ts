/** The segment behind a compaction: what a provider refused, whole answers and cut ones, in the seqs of the new history. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PartialBlock, segmentId } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { SessionState } from "@yoi/session-store";
import { compactedSegment } from "../../src/compact/next-segment.ts";
import { openParts } from "../../../../test/inbox/parts.ts";

const two = JSON.stringify({ steps: [{ text: "One." }, { text: "Two." }] });

async function stateOf(): Promise<SessionState> {
  const parts = await openParts({ host: memoryHost({ seed: 2 }), scenario: two });
  await parts.submit("a");
  await parts.submit("b");
  const { state } = parts.gate;
  await parts.close();
  return state;
}

function planned(state: SessionState) {
  const last = state.items.at(-1);
  assert.ok(last !== undefined);
  const summary = { type: "system_item", kind: "summary", source: "host", body: "before" } as const;
  return compactedSegment(
    { ref: state, head: { seq: state.lastSeq, sum: "0".repeat(16) }, state },
    {
      segment: segmentId("01890000-0000-7000-8000-000000000001"),
      items: [
        { id: "1-1", item: summary, folded: true },
        { id: `${last.seq}`, item: last.item, folded: true },
      ],
      states: { kept: true },
      behind: [{ kind: "extension", domain: "mark", payload: null }],
    },
  );
}

test("what was refused stays left out, in the seqs of the new history; what was pruned has room again", async () => {
  const state = await stateOf();
  const last = state.items.at(-1)?.seq ?? 0;
  const projection = {
    prune_before: last,
    reasoning_before: last,
    images_before: last + 1,
    quarantined: [
      { target: last, part: "images" },
      { target: 0, part: "images" },
    ],
  } as const;
  const { start } = planned(overlaid(state, { projection }));
  assert.deepEqual(start.projection, {
    prune_before: null,
    reasoning_before: 2,
    images_before: 3,
    quarantined: [{ target: 2, part: "images" }],
  });
  assert.deepEqual(start.states, { kept: true });
});

test("that the last answer is whole is still known, and nobody has counted the new history", async () => {
  const state = await stateOf();
  assert.deepEqual(planned(state).start.measured, { items: 2, tokens: 0 });
  const { items, tokens } = state.measured ?? { items: 0, tokens: 0 };
  const torn = overlaid(state, { measured: { items: items - 1, tokens } });
  assert.deepEqual(planned(torn).start.measured, { items: 1, tokens: 0 });
});

test("what had come of an answer that was cut is an item behind the compaction, with the note about it", async () => {
  const state = await stateOf();
  const partial: PartialBlock = { request: state.lastSeq + 1, index: 0, block: "text", text: "half an" };
  const { behind } = planned(overlaid(state, { partials: [partial] }));
  assert.deepEqual(
    behind
      .filter(({ kind }) => kind !== "tools_changed")
      .map((body) => [body.kind, "item" in body ? body.item.type : null]),
    [
      ["extension", null],
      ["assistant_item", "assistant_message"],
      ["system_item", "system_item"],
    ],
  );
});

/** The same state, with these fields. */
function overlaid(state: SessionState, fields: Partial<SessionState>): SessionState {
  return new Proxy(state, {
    get: (target, key) =>
      key in fields ? fields[key as keyof SessionState] : Reflect.get(target, key, target),
  });
}
