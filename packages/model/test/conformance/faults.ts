/** Conformance: answers that break, are cut, or are no answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, StreamAnswer } from "../../../../test/support/provider-answer.ts";
import { blocksOf, checks, hello, plain, rich, usageOf, type Adapter } from "./adapter.ts";
import { committed, failureOf, read } from "../support.ts";

export function faultsConformance(adapter: Adapter): void {
  const check = checks(adapter);
  const { overloaded } = adapter;

  check(
    "an error event as the first event",
    [{ ...plain, fault: { type: "error", after: 0, error: overloaded } }],
    async ({ model }) => {
      const answer = await read(model, hello);
      assert.deepEqual(answer.blocks, []);
      const { kind, retryable, message } = failureOf(answer);
      assert.deepEqual({ kind, retryable }, { kind: "overloaded", retryable: true }, message);
    },
  );

  const broken: StreamAnswer = {
    ...plain,
    usage: { cacheRead: 3 },
    fault: { type: "error", after: { deltas: 1 }, error: overloaded },
  };
  check(
    "an error event in the stream: a failure with the usage so far, its block incomplete",
    [broken],
    async ({ model, requests }) => {
      const answer = await read(model, hello);
      assert.deepEqual(answer.blocks, [{ block: "text", streamed: "All good here, t", text: null }]);
      assert.equal(failureOf(answer).kind, "overloaded");
      assert.deepEqual(answer.terminal.usage, adapter.usageSoFar(usageOf(broken)));
      await requests[0]?.closedEarly;
    },
  );

  // Spec 1 D-7: a clean end of the connection is not the end of an answer.
  test(`${adapter.name}: D-7 every end without a terminal event is a failure, clean or not`, async () => {
    const answers: Answer[] = [];
    const last = adapter.dialect.frames({ ...rich, pieceLength: 400 }).findIndex(({ terminal }) => terminal);
    assert.ok(last > 0);
    for (let after = 0; after <= last; after += 1) {
      for (const type of ["end", "reset"] as const)
        answers.push({ ...rich, pieceLength: 400, fault: { type, after } });
    }
    // Control: the same answer whole is complete.
    answers.push({ ...rich, pieceLength: 400 });
    await adapter.bench(answers, async ({ model }) => {
      for (const answer of answers.slice(0, -1)) {
        const { kind, retryable } = failureOf(await read(model, hello));
        assert.deepEqual(
          { kind, retryable },
          { kind: "stream_broken", retryable: true },
          JSON.stringify(answer),
        );
      }
      assert.equal((await read(model, hello)).terminal.type, "finish");
    });
  });

  check(
    "D-7 an answer with nothing in it is a failure, and shows nothing",
    [{ blocks: [] }, { blocks: [{ type: "text", text: "" }] }],
    async ({ model }) => {
      for (let round = 0; round < 2; round += 1) {
        const answer = await read(model, hello);
        assert.deepEqual(answer.blocks, []);
        assert.equal(failureOf(answer).kind, "stream_broken");
      }
    },
  );

  test(`${adapter.name}: a garbage frame is contained, an unknown event is passed over`, async () => {
    const garbage = [
      'data: {"type":\n\n',
      "data: \u0000\u0001<html>\n\n",
      "data: []\n\n",
      ...adapter.garbage,
    ];
    const unknown = [": a comment\n\n", ...adapter.unknown];
    const inject = (raw: string): Answer => ({
      ...plain,
      fault: { type: "inject", after: { deltas: 1 }, raw },
    });
    await adapter.bench([...garbage, ...unknown].map(inject), async ({ model }) => {
      for (const raw of garbage) assert.equal(failureOf(await read(model, hello)).kind, "stream_broken", raw);
      for (const raw of unknown)
        assert.deepEqual(committed(await read(model, hello)), blocksOf(adapter, plain), raw);
    });
  });

  // Spec 1 D-1 and D-13: cut arguments stay what they are, and the stop reason says why.
  test(`${adapter.name}: D-1, D-13 tool JSON cut at every byte stays raw text, with the stop reason`, async () => {
    const whole = '{"path":"a é","n":1}';
    const cuts = Array.from({ length: whole.length + 1 }, (_, length) => whole.slice(0, length));
    const answers = cuts.map((cut): StreamAnswer => ({
      blocks: [{ type: "tool_call", name: "read", arguments: adapter.argumentsAsText ? cut : whole }],
      ended: "length",
      pieceLength: 3,
    }));
    await adapter.bench(answers, async ({ model }) => {
      for (const cut of cuts) {
        const answer = await read(model, hello);
        const [block, ...more] = answer.blocks;
        assert.deepEqual(
          { text: block?.text, more },
          { text: adapter.argumentsAsText ? cut : JSON.stringify(JSON.parse(whole)), more: [] },
        );
        assert.equal(answer.terminal.type === "finish" && answer.terminal.reason, "length");
      }
    });
  });

  const bare: StreamAnswer = {
    blocks: [
      { type: "tool_call", name: "list", arguments: "" },
      { type: "tool_call", name: "read", arguments: "" },
    ],
  };
  check("a call without arguments is {} when the answer is whole", [bare], async ({ model }) => {
    assert.deepEqual(committed(await read(model, hello)), blocksOf(adapter, bare));
  });

  check(
    "a huge data line is capped, not collected",
    [{ raw: `event: message_start\ndata: {"type":"${"x".repeat(5 * 1024 * 1024)}`, hold: true }],
    async ({ model, requests }) => {
      const failure = failureOf(await read(model, hello));
      assert.deepEqual(
        { kind: failure.kind, retryable: failure.retryable },
        { kind: "stream_broken", retryable: false },
      );
      assert.match(failure.message, /a line over 4194304 bytes/);
      assert.equal(await requests[0]?.closedEarly, true);
    },
  );

  // Spec 1 D-15: what had arrived of a block that is cut is known, and marked as open.
  check(
    "D-15 what arrived of a block that was cut is there, and its block has no end",
    [{ ...plain, fault: { type: "reset", after: { deltas: 2 } } }],
    async ({ model }) => {
      const { blocks } = await read(model, hello);
      assert.deepEqual(blocks, [{ block: "text", streamed: "All good here, thank you.", text: null }]);
    },
  );
}
