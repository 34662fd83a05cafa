/** What a session keeps and what an event costs; and that no order of events makes the fold throw. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { blocksMax } from "../../src/session/draft.ts";
import { emptySession } from "../../src/session/empty-session.ts";
import { outputCharsMax } from "../../src/session/output-end.ts";
import type { SessionEvent } from "../../src/session/session.ts";
import { updateSession } from "../../src/session/update-session.ts";
import { LogRig, systemItem } from "./support/log-rig.ts";
import {
  after,
  answer,
  answered,
  asked,
  type Body,
  call,
  id,
  invoke,
  lineOf,
  result,
  started,
} from "./support/said.ts";
import { assertDense, now } from "./support/shown.ts";

describe("what is kept", () => {
  const opaque = (count: number): Body[] =>
    Array.from({ length: count }, () => ({ kind: "later", opaque: true as const, fields: {} }));

  test(`${blocksMax} finished blocks, and not one more; what is not finished stays, with what is behind it`, () => {
    const full = after(opaque(blocksMax - 1));
    assert.equal(full.blocks.length, blocksMax);
    const over = after(opaque(1), [], full);
    assert.deepEqual([over.blocks.length, over.blocks[0]?.n], [blocksMax, 1]);
    const held = after([{ kind: "user_command", command: "x", submission: "s" }, ...opaque(blocksMax)]);
    assert.deepEqual([held.blocks.length, held.blocks[0]?.kind], [blocksMax + 1, "command"]);
    assertDense(held);
  });

  test("of 20,000 entries no more than that; and what a delta does not touch is shared", () => {
    const long = after(opaque(20_000));
    assert.equal(long.blocks.length, blocksMax);
    const before = after([], [{ type: "delta", request: 5, index: 0, block: "text", text: "a" }], long);
    const behind = after([], [{ type: "delta", request: 5, index: 0, block: "text", text: "b" }], before);
    const changed = behind.blocks.filter((block, at) => block !== before.blocks[at]);
    assert.deepEqual(changed.map(lineOf), ["5.0 answer arriving ab ..."]);
  });

  test("of live output the end alone, from a whole character on", () => {
    const written = (text: string): string => {
      const block = after([call, started], [{ type: "tool_progress", call: id, text }]).blocks.at(-1);
      return block?.kind === "call" ? block.output : assert.fail();
    };
    assert.equal(written("x".repeat(outputCharsMax)).length, outputCharsMax);
    assert.equal(written(`y${"x".repeat(outputCharsMax)}`), "x".repeat(outputCharsMax));
    assert.equal(written(`😀${"x".repeat(outputCharsMax - 1)}`), "x".repeat(outputCharsMax - 1));
  });
});

const seed = 8;
const numRuns = 200;

test(`no order of events makes the fold throw or lose count (seed ${seed}, ${numRuns} orders)`, () => {
  const rig = new LogRig();
  const told: SessionEvent[] = rig.attach();
  rig.follow({ tell: (event) => void told.push(event) });
  rig.commit([
    invoke,
    { kind: "user_input", parts: [], attachments: 2 },
    systemItem("file_attachment", "f"),
    call,
    asked,
    answered,
    started,
    answer(0, "x"),
    result({}),
  ]);
  rig.say({ type: "block_start", request: 5, index: 1, block: "tool_call", name: null });
  rig.say({ type: "delta", request: 5, index: 0, block: "text", text: "\ud83d" });
  rig.say({ type: "tool_start", call: id, name: "Bash", title: "t" });
  rig.say({ type: "command_output", id: "3", text: "x" });
  rig.commit([
    { kind: "turn_rolled_back", from_seq: 0 },
    { kind: "user_command", command: "c", submission: "s" },
    { kind: "input_unqueued", queued: 77 },
  ]);
  rig.rotate("forked_from", 3);
  rig.restart();
  const events: readonly SessionEvent[] = [
    ...told,
    { type: "restarted", segment: "another" },
    { type: "omitted", seq: 9, kind: "assistant_item" },
    { type: "disconnected", why: "\u001b[2J" },
    { type: "ended", why: null },
    { type: "live", n: 5, live: { type: "delta", request: 5, index: 1, block: "tool_call", text: "{" } },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(events.length - 1), { maxLength: 60 }), (order) => {
      let session = emptySession("sim");
      for (const at of order) {
        const event = events[at];
        if (event !== undefined) session = updateSession(session, event, now);
        assertDense(session);
      }
    }),
    { seed, numRuns },
  );
});
