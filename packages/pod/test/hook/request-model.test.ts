/** Random hooks of one request against a model of a few lines: what is asked, committed, dropped, sent, and how the run ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppendReceipt, PreLlmRequestAction } from "@yoi/feature";
import fc from "fast-check";
import { diskFull } from "../../../worker/test/support/log-history.ts";
import { appendBodyBytesMax, appendItemsMax } from "../../src/hook/append-queue.ts";
import { goOn, hook, hookBench, lint, task } from "./support/hook-bench.ts";

const ends = ["continue", "cancel", "yield", "throw", "bad", "cancel_run"] as const;

interface Asked {
  readonly mayAppend: boolean;
  readonly isAsync: boolean;
  /** One body each: too long, or not. */
  readonly appends: readonly boolean[];
  readonly end: (typeof ends)[number];
}
interface Request {
  readonly hooks: readonly Asked[];
  readonly hasWriter: boolean;
  readonly over: "committed" | "effective" | null;
  readonly diskIsFull: boolean;
}
interface Result {
  readonly end: string;
  readonly asked: number;
  readonly receipts: readonly AppendReceipt["state"][];
  readonly committed: readonly string[];
  readonly sent: readonly string[] | null;
}

const requests: fc.Arbitrary<Request> = fc.record({
  hooks: fc.array(
    fc.record({
      mayAppend: fc.boolean(),
      isAsync: fc.boolean(),
      appends: fc.array(
        fc.nat(5).map((n) => n === 0),
        { maxLength: 5 },
      ),
      end: fc.nat(11).map((n) => ends[n] ?? "continue"),
    }),
    { maxLength: 6 },
  ),
  hasWriter: fc.nat(4).map((n) => n > 0),
  over: fc.nat(5).map((n) => (["committed", "effective"] as const)[n] ?? null),
  diskIsFull: fc.nat(4).map((n) => n === 0),
});

function model({ hooks, hasWriter, over, diskIsFull }: Request): Result {
  if (over === "committed") return { end: "yielded", asked: 0, receipts: [], committed: [], sent: null };
  const bodies: (string | null)[] = [];
  const queued = () => bodies.filter((body) => body !== null);
  const result = (end: string, asked: number, isCommitted: boolean, isSent = false): Result => ({
    end,
    asked,
    receipts: bodies.map((body) => (isCommitted && body !== null ? "committed" : "dropped")),
    committed: isCommitted ? queued() : [],
    sent: isSent ? queued() : null,
  });
  for (const [index, { mayAppend, appends, end }] of hooks.entries()) {
    for (const tooLong of mayAppend && hasWriter ? appends : [])
      bodies.push(tooLong || queued().length === appendItemsMax ? null : `${index}.${bodies.length}`);
    if (end === "cancel_run") return result("cancelled", index + 1, false);
    if (end === "yield") return result("yielded", index + 1, false);
    if (end !== "continue") return result("aborted", index + 1, false);
  }
  if (diskIsFull && queued().length > 0) return result("disk_full", hooks.length, false);
  return over === null ? result("finished", hooks.length, true, true) : result("yielded", hooks.length, true);
}

function actionOf(end: Asked["end"]): PreLlmRequestAction {
  switch (end) {
    case "continue":
    case "cancel_run":
      return goOn;
    case "cancel":
    case "yield":
      return { action: end, reason: "r" };
    case "throw":
      throw new Error("broken");
    case "bad":
      return { action: "continue_with", items: [] } as never;
  }
}

async function real({ hooks, hasWriter, over, diskIsFull }: Request): Promise<Result> {
  const receipts: AppendReceipt[] = [];
  const controller = new AbortController();
  let asked = 0;
  const b = hookBench({
    hasWriter,
    threshold: (_, phase) => (phase === over ? "over" : null),
    hooks: hooks.map(({ mayAppend, isAsync, appends, end }, index) => {
      const answer = () => {
        if (end === "cancel_run") controller.abort();
        return actionOf(end);
      };
      return hook(
        "pre_llm_request",
        ({ systemItems }) => {
          asked += 1;
          if (systemItems !== null) {
            for (const tooLong of appends) {
              const body = tooLong ? "x".repeat(appendBodyBytesMax + 1) : `${index}.${receipts.length}`;
              receipts.push(systemItems.appendTaskReminder(body));
            }
          }
          return isAsync ? Promise.resolve().then(answer) : answer();
        },
        { owner: mayAppend ? task : lint },
      );
    }),
  });
  b.history.onAppend = (bodies) => {
    if (
      diskIsFull &&
      bodies.some((body) => body.kind === "system_item" && body.item.kind === "task_reminder")
    )
      throw diskFull();
  };
  const end = await b.run("go", { signal: controller.signal }).then(
    ({ kind }) => kind,
    (error: { code: string }) => error.code,
  );
  const bodies = (items: typeof b.history.items) =>
    items.flatMap(({ item }) =>
      item.type === "system_item" && item.kind === "task_reminder" ? [item.body] : [],
    );
  b.history.assertReplays();
  assert.deepEqual(b.hookTimers.pending, 0);
  const sent = b.scripted.requests[0];
  return {
    end,
    asked,
    receipts: receipts.map(({ state }) => state),
    committed: bodies(b.history.items),
    sent: sent === undefined ? null : bodies(sent.items),
  };
}

const options = { seed: 20_261_122, numRuns: 400 };

test(`random hooks of a request do what the model says (${options.numRuns} cases, seed ${options.seed})`, async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const expected = model(request);
      assert.deepEqual(await real(request), expected);
      met.add(
        `${expected.end} ${new Set(expected.receipts).size > 1 ? "mixed" : (expected.receipts[0] ?? "none")}`,
      );
    }),
    options,
  );
  for (const end of [
    "finished mixed",
    "finished committed",
    "yielded committed",
    "yielded dropped",
    "aborted dropped",
    "cancelled dropped",
    "disk_full dropped",
  ])
    assert.ok(met.has(end), `never met: ${end}`);
});

test("control: the model notices an item that is committed although it was dropped", async () => {
  const request: Request = {
    hooks: [{ mayAppend: true, isAsync: false, appends: [false], end: "cancel" }],
    hasWriter: true,
    over: null,
    diskIsFull: false,
  };
  const wrong: Request = { ...request, hooks: request.hooks.map((asked) => ({ ...asked, end: "continue" })) };
  assert.deepEqual(await real(request), model(request));
  assert.notDeepEqual(await real(wrong), model(request));
});
