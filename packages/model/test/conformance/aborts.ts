/** Conformance: cancelling at every stage, leaving early, and requests that must not touch each other. */
import assert from "node:assert/strict";
import type { ModelRequest } from "@yoi/model";
import type { Answer } from "../../../../test/support/provider-answer.ts";
import { blocksOf, checks, hello, plain, rich, type Adapter } from "./adapter.ts";
import { call, committed, failureOf, read, requestOf, user } from "../support.ts";

export function abortsConformance(adapter: Adapter): void {
  const check = checks(adapter);
  const stages: readonly [string, Answer, (abort: () => void, event: string) => void][] = [
    ["before the request is on record", plain, () => {}],
    ["before the headers", "silence", () => {}],
    [
      "before the first event",
      { ...plain, fault: { type: "stall", after: 0 } },
      (abort, event) => event === "ping" && abort(),
    ],
    [
      "inside a block",
      { ...plain, fault: { type: "stall", after: { deltas: 2 } } },
      (abort, event) => event === "block_delta" && abort(),
    ],
    ["with the rest of the answer already here", plain, (abort, event) => event === "block_start" && abort()],
  ];
  for (const [name, answer, onEvent] of stages) {
    check(`abort ${name}`, [answer], async ({ model, requests, arrived }) => {
      const controller = new AbortController();
      const abort = (): void => controller.abort(new Error("enough"));
      if (answer === "silence") void arrived(1).then(abort);
      if (name.endsWith("on record")) abort();
      const read_ = await read(model, hello, {
        signal: controller.signal,
        onEvent: ({ type }) => onEvent(abort, type),
      });
      assert.deepEqual(failureOf(read_), {
        kind: "cancelled",
        message: "The request was cancelled.",
        retryable: false,
      });
      if (name.endsWith("on record")) assert.equal(requests.length, 0);
      else if (answer !== plain) assert.equal(await requests[0]?.closedEarly, true);
    });
  }

  check("abort after the finish changes nothing", [plain, plain], async ({ model }) => {
    const controller = new AbortController();
    const answer = await read(model, hello, { signal: controller.signal });
    controller.abort();
    assert.equal(answer.terminal.type, "finish");
    assert.equal((await read(model, hello)).terminal.type, "finish");
  });

  check(
    "leaving the iteration early closes the connection",
    [{ ...plain, fault: { type: "stall", after: { deltas: 1 } } }],
    async ({ model, requests }) => {
      const options = { signal: new AbortController().signal, beforeSend: async () => {} };
      for await (const event of model.stream(hello, options)) if (event.type === "block_delta") break;
      assert.equal(await requests[0]?.closedEarly, true);
    },
  );

  // Spec 1 D-6: nothing of one request shows in another.
  check(
    "D-6 no state leaks between requests, also when one broke or they overlap",
    [
      { ...rich, fault: { type: "end", after: { deltas: 4 } } },
      plain,
      { ...rich, eventDelayMs: 1 },
      { ...plain, eventDelayMs: 1 },
    ],
    async ({ model }) => {
      assert.equal(failureOf(await read(model, hello)).kind, "stream_broken");
      assert.deepEqual(committed(await read(model, hello)), blocksOf(adapter, plain));
      const both = [read(model, hello), read(model, hello)];
      const texts = (await Promise.all(both)).map((answer) => JSON.stringify(committed(answer)));
      assert.deepEqual(
        texts.toSorted(),
        [JSON.stringify(blocksOf(adapter, rich)), JSON.stringify(blocksOf(adapter, plain))].toSorted(),
      );
    },
  );
  check(
    "a dangling call is a bug of the caller: it throws, and nothing is sent",
    [plain],
    async ({ model, requests }) => {
      const dangling: ModelRequest = requestOf([user(1, "go"), call(3, 2, 0, "{}")]);
      await assert.rejects(read(model, dangling), /unanswered call/);
      await assert.rejects(model.lower(dangling), /unanswered call/);
      assert.equal(requests.length, 0);
    },
  );
}
