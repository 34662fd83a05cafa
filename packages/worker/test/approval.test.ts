/** Calls that wait for the user: what is on record when, what goes on meanwhile, and how the waiting ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallId, Claim, EntryBody, ToolOutput } from "@yoi/base";
import type { ApprovalDecision, LoopPoints } from "../src/index.ts";
import { bench, type Bench, type BenchOptions, tool } from "./support/bench-worker.ts";
import { failAppend, LogHistory } from "./support/log-history.ts";

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const digestOf = (call: CallId) => Buffer.from(call).toString("hex").padEnd(64, "0").slice(0, 64);

/** What `what` says is asked about: `ask...` waits, `deny...` is refused, the rest is allowed. */
class Desk {
  readonly begun: string[] = [];
  readonly ending = new Map<string, (output: ToolOutput) => void>();
  readonly waiting = new Map<string, (decision: ApprovalDecision | Error) => void>();

  readonly points: Pick<LoopPoints, "gate" | "approval"> = {
    gate: async ({ call, args }) => {
      const what = String(args["say"]);
      if (what.startsWith("deny")) return { action: "deny", reason: "a rule", refusal: "denied" };
      if (!what.startsWith("ask")) return { action: "allow" };
      return { action: "ask", approval: { reason: "a rule", digest: digestOf(call), expires: 9 } };
    },
    approval: ({ args, call }, asked) => {
      assert.deepEqual(asked, { reason: "a rule", digest: digestOf(call), expires: 9 });
      return new Promise((resolve, reject) =>
        this.waiting.set(String(args["say"]), (decision) =>
          decision instanceof Error ? reject(decision) : resolve(decision),
        ),
      );
    },
  };

  /** Begins, and ends when it is told to. */
  readonly tool = tool(
    "Echo",
    (args) => {
      const what = String(args["say"]);
      this.begun.push(what);
      return new Promise((resolve) => this.ending.set(what, resolve));
    },
    { claim: ({ lane }): Claim | null => (lane ? { path: `/${String(lane)}`, mode: "exclusive" } : null) },
  );

  async answer(what: string, decision: ApprovalDecision | Error = { action: "allow" }): Promise<void> {
    this.waiting.get(what)?.(decision);
    await settled();
  }

  async end(what: string): Promise<void> {
    this.ending.get(what)?.({ summary: `did ${what}` });
    await settled();
  }
}

const no: ApprovalDecision = { action: "deny", reason: "the user said no", refusal: "denied" };

function deskBench(
  desk: Desk,
  says: readonly (string | readonly [what: string, lane: string])[],
  more: Partial<BenchOptions> = {},
): Bench {
  const tool_calls = says.map((one) =>
    typeof one === "string"
      ? { name: "Echo", arguments: { say: one } }
      : { name: "Echo", arguments: { say: one[0], lane: one[1] } },
  );
  const scenario = JSON.stringify({ steps: [{ tool_calls }, { text: "end" }] });
  return bench({ scenario, tools: [desk.tool], points: desk.points, ...more });
}

/** Batches behind the answer, up to the next request. */
function stepOf({ history }: Bench): readonly (readonly EntryBody["kind"][])[] {
  const answer = history.batches.findIndex((kinds) => kinds.includes("turn_end"));
  const after = history.batches.slice(answer + 1);
  const next = after.findIndex((kinds) => kinds.includes("llm_request"));
  return next === -1 ? after : after.slice(0, next);
}

test("what is asked is in the one batch of the step; the others start at once, and the next request waits for the answer", async () => {
  const desk = new Desk();
  const b = deskBench(desk, ["a", "ask b", "deny c"]);
  const run = b.start("go");
  await settled();
  assert.deepEqual(stepOf(b), [["tool_started", "approval_asked", "tool_result"]]);
  assert.deepEqual(desk.begun, ["a"]);
  await desk.end("a");
  assert.equal(b.history.kinds("llm_request").length, 1);
  await desk.answer("ask b");
  assert.deepEqual(desk.begun, ["a", "ask b"]);
  await desk.end("ask b");
  assert.deepEqual(await run, { kind: "finished", text: "end" });
  assert.deepEqual(stepOf(b), [
    ["tool_started", "approval_asked", "tool_result"],
    ["tool_result"],
    ["tool_started"],
    ["tool_result"],
  ]);
  b.history.assertReplays();
  b.history.assertBuilds();
});

test("without anything asked a step has no batch more", async () => {
  const desk = new Desk();
  const b = deskBench(desk, ["a"]);
  const run = b.start("go");
  await settled();
  await desk.end("a");
  await run;
  assert.deepEqual(stepOf(b), [["tool_started"], ["tool_result"]]);
});

test("a waiting call holds no place and no claim; both bind it once it is allowed", async () => {
  const desk = new Desk();
  const b = deskBench(desk, [["ask first", "x"], ["b", "x"], "c", "d"], { limits: { parallelCallsMax: 2 } });
  const run = b.start("go");
  await settled();
  assert.deepEqual(desk.begun, ["b", "c"]);
  await desk.answer("ask first");
  assert.equal(b.history.state.approvals.length, 1, "it has not started, as far as the log goes");
  await desk.end("c");
  // Room, but its path is claimed: the one behind it that claims nothing goes first.
  assert.deepEqual(desk.begun, ["b", "c", "d"]);
  await desk.end("b");
  assert.deepEqual(desk.begun, ["b", "c", "d", "ask first"]);
  await desk.end("d");
  await desk.end("ask first");
  assert.deepEqual(await run, { kind: "finished", text: "end" });
});

test("what an allowed call claims is asked for when it starts; arguments that it cannot claim by refuse it", async () => {
  const desk = new Desk();
  let claims = 0;
  const moving = tool("Echo", desk.tool.execute, {
    claim: ({ say }) => {
      claims += 1;
      if (say === "ask c" && claims > 3) throw new Error("it is gone");
      return say === "b" || claims > 3 ? { path: "/x", mode: "exclusive" } : null;
    },
  });
  const b = deskBench(desk, ["ask a", "b", "ask c"], { tools: [moving] });
  const run = b.start("go");
  await settled();
  await desk.answer("ask a");
  await desk.answer("ask c");
  assert.deepEqual(desk.begun, ["b"], "by now it claims what b works on");
  await desk.end("b");
  assert.deepEqual(desk.begun, ["b", "ask a"]);
  await desk.end("ask a");
  assert.deepEqual(await run, { kind: "finished", text: "end" });
  assert.deepEqual(b.history.story().slice(4), [
    "error: it is gone",
    "result: did b",
    "result: did ask a",
    "text: end",
  ]);
});

test("several wait at once and are answered in any order; a no is one error result with its reason, and its kind on record", async () => {
  const desk = new Desk();
  const b = deskBench(desk, ["ask a", "ask b", "ask c", "ask d"]);
  const run = b.start("go");
  await settled();
  assert.deepEqual(stepOf(b), [["approval_asked", "approval_asked", "approval_asked", "approval_asked"]]);
  await desk.answer("ask c", no);
  await desk.answer("ask a", { action: "deny", reason: "nobody came", refusal: "asked" });
  await desk.answer("ask d", new Error("out of order"));
  await desk.answer("ask b");
  await desk.end("ask b");
  assert.deepEqual(await run, { kind: "finished", text: "end" });
  const results = b.history.items.flatMap(({ item }) =>
    item.type === "tool_result" ? [[item.summary, item.refusal, item.is_error]] : [],
  );
  assert.deepEqual(results, [
    ["the user said no", "denied", true],
    ["nobody came", "asked", true],
    ["refused, because what waits for the approval of Echo failed: out of order", "denied", true],
    ["did ask b", undefined, false],
  ]);
  const denied = b.events.flatMap((event) => (event.type === "denied" ? [event.reason] : []));
  assert.deepEqual(
    denied,
    results.slice(0, 3).map(([summary]) => summary),
  );
  assert.deepEqual(desk.begun, ["ask b"]);
  b.history.assertReplays();
});

test("a cancel ends the waiting, whoever answers then: the call is not executed", async () => {
  const desk = new Desk();
  const stop = new AbortController();
  const b = deskBench(desk, ["ask a"]);
  const run = b.start("go", { signal: stop.signal });
  await settled();
  stop.abort();
  assert.deepEqual(await run, { kind: "cancelled" });
  await desk.answer("ask a");
  assert.deepEqual(desk.begun, []);
  assert.deepEqual(b.history.story().at(-2), "error: not executed");
  assert.deepEqual(b.history.state.approvals, []);
});

test("a call that was asked about is not asked again by another process: it waits on, or starts by the answer on record", async () => {
  for (const decision of [{ action: "allow" }, no] as const) {
    const desk = new Desk();
    const b = deskBench(desk, ["ask a"]);
    b.start("go").catch(() => {});
    await settled();
    const history = new LogHistory({ entries: b.history.entries });
    const next = new Desk();
    const later = deskBench(next, ["ask a"], { history });
    const run = later.start(null);
    await settled();
    assert.deepEqual([next.begun, history.batches], [[], []]);
    await next.answer("ask a", decision);
    await next.end("ask a");
    assert.deepEqual(await run, { kind: "finished", text: "end" });
    assert.deepEqual(history.kinds("approval_asked").length, 1);
    assert.deepEqual(next.begun, decision.action === "allow" ? ["ask a"] : []);
    history.assertReplays();
  }
});

test("an observer that ends the run leaves nobody waiting: started calls end, the others are not executed", async () => {
  const desk = new Desk();
  const b = deskBench(desk, ["a", "b", "ask c"], {
    points: {
      ...desk.points,
      afterResult: async ({ args }) =>
        args["say"] === "a" ? { action: "abort", reason: "enough" } : { action: "continue" },
    },
  });
  const run = b.start("go");
  await settled();
  await desk.end("a");
  await desk.answer("ask c");
  await desk.end("b");
  assert.deepEqual(await run, { kind: "aborted", reason: "enough" });
  assert.deepEqual(desk.begun, ["a", "b"]);
  assert.deepEqual(b.history.story().slice(4), ["result: did a", "result: did b", "error: not executed"]);
});

test("a start or a refusal that cannot be put on record ends the run, and nothing runs", async () => {
  for (const decision of [{ action: "allow" }, no] as const) {
    const desk = new Desk();
    const b = deskBench(desk, ["ask a", "ask b"]);
    const run = b.start("go");
    await settled();
    b.history.onAppend = failAppend(1);
    const failed = assert.rejects(run, { code: "disk_full" });
    await desk.answer("ask a", decision);
    await failed;
    await desk.answer("ask b");
    assert.deepEqual(desk.begun, []);
  }
});

test("a batch that a hook pauses asks nobody", async () => {
  const desk = new Desk();
  const b = deskBench(desk, ["ask a", "b"], {
    points: {
      gate: async (view, signal) =>
        view.args["say"] === "b" ? { action: "pause", reason: "wait" } : desk.points.gate(view, signal),
      approval: async () => assert.fail("somebody was asked"),
    },
  });
  assert.deepEqual(await b.run("go"), { kind: "paused", reason: "hook", detail: "wait" });
  assert.deepEqual(b.history.kinds("approval_asked"), []);
});

test("an allowed call that a stop finds waiting for its path stays open, and starts by its answer when the turn goes on", async () => {
  const desk = new Desk();
  const stop = new AbortController();
  const b = deskBench(desk, [
    ["ask a", "x"],
    ["ask b", "x"],
  ]);
  const run = b.start("go", { signal: stop.signal, leavesOpen: true });
  await settled();
  await desk.answer("ask a");
  await desk.answer("ask b");
  stop.abort();
  await desk.end("ask a");
  assert.deepEqual(await run, { kind: "cancelled" });
  assert.deepEqual(
    b.history.unanswered.map(({ arguments: args, started }) => [JSON.parse(args), started]),
    [[{ say: "ask b", lane: "x" }, false]],
  );
  const next = new Desk();
  const later = deskBench(next, ["in another process"], {
    history: new LogHistory({ entries: b.history.entries }),
  });
  const resumed = later.start(null);
  await settled();
  await next.answer("ask b");
  await next.end("ask b");
  await resumed;
  assert.deepEqual([desk.begun, next.begun], [["ask a"], ["ask b"]]);
});

test("what was allowed is looked at once more when its path is free: a no by then is its one result", async () => {
  const desk = new Desk();
  const seen: string[] = [];
  for (const answer of [no, new Error("out of order")]) {
    const b = deskBench(
      desk,
      [
        ["b", "x"],
        ["ask a", "x"],
      ],
      {
        points: {
          ...desk.points,
          recheck: async ({ args }) => {
            seen.push(String(args["say"]));
            if (answer instanceof Error) throw answer;
            return answer;
          },
        },
      },
    );
    const run = b.start("go");
    await settled();
    await desk.answer("ask a");
    assert.deepEqual(seen.splice(0), [], "not before");
    await desk.end("b");
    assert.deepEqual(await run, { kind: "finished", text: "end" });
    assert.deepEqual([seen.splice(0), desk.begun.splice(0)], [["ask a"], ["b"]]);
    const failed = "refused, because what decides about the start of Echo failed: out of order";
    const reason = answer instanceof Error ? failed : "the user said no";
    assert.deepEqual(b.history.story().slice(-2), [`error: ${reason}`, "text: end"]);
    assert.equal(b.history.kinds("tool_started").length, 1);
  }
});

test("a stop while the start comes on record: what never began is not executed", async () => {
  const desk = new Desk();
  const stop = new AbortController();
  const b = deskBench(desk, ["ask a"]);
  const run = b.start("go", { signal: stop.signal, leavesOpen: true });
  await settled();
  b.history.onAppend = (bodies) => {
    if (bodies.some(({ kind }) => kind === "tool_started")) stop.abort();
  };
  await desk.answer("ask a");
  assert.deepEqual(await run, { kind: "cancelled" });
  assert.deepEqual([desk.begun, b.history.unanswered], [[], []]);
  assert.deepEqual(b.history.story().at(-1), "error: not executed");
});
