/** The limit board around a model: nothing is sent while a limit stands; what a provider says is told; an answer takes away what is past. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { type KnownLimit, type LimitBoard, type ModelEvent, withLimitBoard } from "@yoi/model";
import { failed, fakeModel, finish } from "./fake-model.ts";
import { read, requestOf, user } from "./support.ts";

const limited = (retryAfterMs?: number): ModelEvent =>
  failed({ kind: "rate_limit", message: "No.", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

test("a limit that a retry waits for is told at once; what is told meanwhile and lasts longer stays", async () => {
  const { clock } = memoryHost({ seed: 1 });
  const nowMs = clock.now();
  const retry: ModelEvent = {
    type: "retry",
    attempt: 1,
    attemptsMax: 4,
    waitMs: 7000,
    failure: { kind: "rate_limit", message: "No.", retryable: true, retryAfterMs: 7000 },
    usage: null,
  };
  for (const [later, expected] of [
    [null, null],
    [{ untilMs: nowMs + 7001, message: "Another." }, "Another."],
  ] as const) {
    let known: KnownLimit | null = null;
    const seen: unknown[] = [];
    const board: LimitBoard = {
      known: async () => known,
      tell: async (limit) => void (known = limit),
      clear: async () => void (known = null),
    };
    const model = withLimitBoard(
      fakeModel(() => [retry, finish]),
      board,
      clock,
    );
    const options = { signal: new AbortController().signal, beforeSend: async () => {} };
    for await (const { type } of model.stream(requestOf([user(1, "hi")]), options)) {
      seen.push([type, await board.known()]);
      if (type === "retry" && later !== null) known = later;
    }
    assert.deepEqual(seen[0], ["retry", { untilMs: nowMs + 7000, message: "No." }]);
    assert.deepEqual((await board.known())?.message ?? null, expected);
  }
});

test("what is known, what is told, what is sent", async () => {
  const { clock } = memoryHost({ seed: 1 });
  const nowMs = clock.now();
  const rows: readonly [KnownLimit | null, ModelEvent, sent: number, board: readonly unknown[]][] = [
    [null, finish, 1, []],
    [{ untilMs: nowMs, message: "Was." }, finish, 1, ["clear"]],
    [{ untilMs: nowMs + 1, message: "Is." }, finish, 0, []],
    [null, limited(7000), 1, [{ untilMs: nowMs + 7000, message: "No." }]],
    [{ untilMs: nowMs - 1, message: "Was." }, limited(), 1, []],
    [null, limited(0), 1, []],
    [null, failed({ retryAfterMs: 7000 }), 1, []],
  ];
  for (const [known, event, sent, expected] of rows) {
    const told: unknown[] = [];
    const board: LimitBoard = {
      known: async () => known,
      tell: async (limit) => void told.push(limit),
      clear: async () => void told.push("clear"),
    };
    const model = fakeModel(() => [event]);
    const { terminal } = await read(withLimitBoard(model, board, clock), requestOf([user(1, "hi")]));
    assert.deepEqual([model.attempts(), told], [sent, expected], JSON.stringify([known, event]));
    const message = "Is. Nothing was sent: the limit was told to a request of this account before.";
    const failure = { kind: "rate_limit", message, retryable: true, retryAfterMs: 1 };
    assert.deepEqual(terminal, sent === 1 ? event : { type: "failure", failure, usage: null });
  }
});
