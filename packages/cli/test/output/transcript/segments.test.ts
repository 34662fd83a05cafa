/** The transcript over segments: what one carries on is shown once, and none of them is a start. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EntryBody, type LogEntry, segmentId, sessionId } from "@yoi/base";
import { Transcript } from "../../../src/output/transcript/transcript.ts";
import { viewOf } from "../../client/view.ts";

const stored = (body: EntryBody, seq: number): LogEntry => ({ ...body, seq, batch: seq, ts: 0 });

/** Of a client that is up to date. */
function present() {
  const written: string[] = [];
  const transcript = new Transcript({
    write: (text) => void written.push(text),
    screen: () => null,
    tail: null,
  });
  transcript.snapshot(viewOf());
  return { transcript, text: () => written.join("") };
}

describe("history goes on in another segment", () => {
  const origin = {
    segment_id: segmentId("01920000-0000-7000-8000-000000000002"),
    seq: 12,
    sum: "0".repeat(16),
  };
  const start: EntryBody = {
    kind: "segment_start",
    schema: 2,
    session_id: sessionId("01920000-0000-7000-8000-000000000001"),
    segment_id: segmentId("01920000-0000-7000-8000-000000000003"),
    config: { model: "m/m" },
    prompt: "",
    documents: [],
    turn_count: 0,
    states: {},
    forked_from: { ...origin, seq: 7 },
    left: origin,
    generation: 1,
    carried: 1,
  };
  const carried: EntryBody = {
    kind: "carried",
    of: "item",
    id: "3",
    item: { type: "user_message", parts: [{ type: "text", text: "asked before" }] },
  };
  const beginning = [
    start,
    carried,
    { kind: "segment_ready" },
    { kind: "opened", epoch: 1, version: "1" },
  ] as const;
  const rotation = {
    segment: "new",
    generation: 1,
    from: { segment: "old", seq: 7 },
    left: { segment: "old", seq: 12 },
  };

  for (const [what, why, text] of [
    ["compacted: what is carried on was shown, and nothing started", "compacted", ""],
    ["gone back: to where", "forked", "- goes on behind entry 7 of old, in the segment new\n"],
  ] as const) {
    test(what, () => {
      const { transcript, text: shown } = present();
      transcript.rotated({ ...rotation, why });
      for (const [seq, body] of beginning.entries()) transcript.entry(stored(body, seq));
      assert.equal(shown(), text);
      transcript.entry(stored({ kind: "opened", epoch: 2, version: "1" }, 9));
      assert.equal(shown(), `${text}- started (epoch 2, yoi 1)\n`);
    });
  }

  test("before anybody attached: what is carried on is what there is to show", () => {
    const { transcript, text } = present();
    for (const [seq, body] of beginning.entries()) transcript.entry(stored(body, seq));
    assert.equal(text(), "> asked before\n");
  });
});
