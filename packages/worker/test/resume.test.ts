/** Resuming: what a log leaves open goes on where it was, whatever was cut, and no started call runs again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bench, echo, gate, tool } from "./support/bench-worker.ts";
import { LogHistory } from "./support/log-history.ts";
import { richPoints, richScenario, richTools } from "./support/rich-run.ts";

const twoCalls = `
steps:
  - tool_calls: [{ name: Echo, arguments: { say: a } }, { name: Echo, arguments: { say: b } }]
  - text: end
`;

test("a paused batch asks the gates again and then runs", async () => {
  let asked = 0;
  let open = false;
  const b = bench({
    scenario: twoCalls,
    points: {
      gate: async () => {
        asked += 1;
        return open ? { action: "allow" } : { action: "pause", reason: "wait" };
      },
    },
  });
  assert.deepEqual(await b.run("go"), { kind: "paused", reason: "hook", detail: "wait" });
  assert.deepEqual(await b.run(null), { kind: "paused", reason: "hook", detail: "wait" });
  open = true;
  assert.deepEqual(await b.run(null), { kind: "finished", text: "end" });
  assert.equal(asked, 4);
  assert.deepEqual(b.history.story().slice(3), ["result: said a", "result: said b", "text: end"]);
});

test("D-4, D-12: after a death in a batch results stay, started calls are unknown, and the others run now", async () => {
  const first = bench({ scenario: twoCalls });
  first.history.onAppend = (bodies) => {
    if (bodies[0]?.kind === "tool_result") throw new Error("the process died");
  };
  await assert.rejects(first.run("go"));
  // What the dead process left: both calls started, one result durable.
  const history = new LogHistory({ entries: first.history.entries });
  const [open] = history.unanswered;
  assert.ok(open);
  await history.append([
    {
      kind: "tool_result",
      item: { type: "tool_result", call: open.call, name: "Echo", summary: "said a", is_error: false },
    },
  ]);
  const b = bench({
    scenario: twoCalls,
    history,
    tools: [tool("Echo", async () => assert.fail("it ran again"))],
  });
  assert.deepEqual(await b.run(null), { kind: "finished", text: "end" });
  assert.deepEqual(history.story().slice(3), [
    "result: said a",
    "error: outcome unknown, check before repeating",
    "note: interrupt",
    "text: end",
  ]);
});

test("partial text of a killed process is kept, and the same step is asked again", async () => {
  const scenario = `{ chunk: 4, steps: [{ pace_ms: 100, text: one two three four }] }`;
  const first = bench({ scenario });
  void first.start("go").catch(() => {});
  await first.host.advance(390);
  const history = new LogHistory({ entries: first.history.entries });
  assert.equal(history.partials.length, 1);
  const b = bench({ scenario, history });
  assert.deepEqual(await b.run(null), { kind: "finished", text: "one two three four" });
  assert.deepEqual(history.story(), [
    "user: go",
    "cut text: one two thre",
    "note: interrupt",
    "text: one two three four",
  ]);
  history.assertReplays();
});

test("a turn that a hook paused at its end is asked there again, not of the model", async () => {
  let pauses = 1;
  const b = bench({
    scenario: `steps: [{ blocks: [{ text: one }, { reasoning: hm }, { text: two }] }]`,
    points: {
      turnEnd: async () => {
        pauses -= 1;
        return pauses >= 0 ? { action: "pause", reason: "review" } : { action: "finish" };
      },
    },
  });
  assert.equal((await b.run("go")).kind, "paused");
  assert.deepEqual(await b.run(null), { kind: "finished", text: "one\n\ntwo" });
  assert.equal(b.scripted.requests.length, 1);
});

test("an answer cut at the output limit goes on with a note", async () => {
  const b = bench({
    scenario: `steps: [{ attempts: [{ text: a long, finish: length }, { expect: { last_input: cut off }, text: end }] }]`,
  });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "a long" });
  assert.deepEqual(await b.run(null), { kind: "finished", text: "end" });
  assert.deepEqual(b.history.story(), ["user: go", "cut text: a long", "note: interrupt", "text: end"]);
});

test("a log cut behind any entry goes on to the end: every call answered once, none run twice", async () => {
  const executed: string[] = [];
  const nothing = async () => {};
  const make = (history: LogHistory | null) => {
    const { points } = richPoints(nothing);
    return bench({
      scenario: richScenario,
      tools: richTools(nothing, (call) => executed.push(call)),
      points,
      ...(history === null ? {} : { history }),
    });
  };
  const whole = make(null);
  await whole.run("go");
  const { entries } = whole.history;
  const before = new Set(executed);
  const from = entries.findIndex((entry) => entry.kind === "user_input");
  for (let cut = from + 1; cut <= entries.length; cut += 1) {
    executed.length = 0;
    const history = new LogHistory({ entries: entries.slice(0, cut) });
    const started = new Set(
      history.kinds("tool_started").map((entry) => ("call" in entry ? entry.call : "")),
    );
    const outcome = await make(history).run(null);
    const where = `cut behind ${cut - 1} (${entries[cut - 1]?.kind})`;
    assert.equal(outcome.kind, "finished", where);
    assert.deepEqual(
      executed.filter((call) => started.has(call as never)),
      [],
      `${where}: a started call ran again`,
    );
    assert.equal(new Set(executed).size, executed.length, where);
    history.assertReplays();
    history.assertBuilds();
    const calls = history
      .kinds("tool_result")
      .map((entry) => (entry.kind === "tool_result" && "item" in entry ? JSON.stringify(entry.item) : ""));
    assert.equal(calls.length, new Set(calls).size, where);
  }
  assert.ok(before.size === 4 && entries.length - from > 30);
});

test("new input is refused a request while something before it is open", async () => {
  const b = bench({
    scenario: twoCalls,
    points: { gate: async () => ({ action: "pause", reason: "wait" }) },
  });
  await b.run("go");
  await assert.rejects(b.run("again"), /has no result: no request may be built/);
  assert.equal(b.scripted.requests.length, 1);
});

test("a resumed run counts its own turns", async () => {
  const call = "{ tool_calls: [{ name: Echo, arguments: { say: a } }] }";
  let open = false;
  const b = bench({
    scenario: `steps: [${call}, ${call}, { text: end }]`,
    tools: [echo()],
    points: { gate: async () => (open ? { action: "allow" } : { action: "pause", reason: "wait" }) },
  });
  await b.run("go", { maxTurns: 1 });
  open = true;
  assert.deepEqual(await b.run(null, { maxTurns: 1 }), { kind: "limit_reached", limit: "turns", max: 1 });
  assert.deepEqual(await b.run(null, { maxTurns: 1 }), { kind: "finished", text: "end" });
});

test("a call of a tool that is gone by now is answered, not lost", async () => {
  const began = gate();
  const first = bench({
    scenario: twoCalls,
    points: {
      gate: () => {
        began.open();
        return new Promise(() => {});
      },
    },
  });
  void first.start("go");
  await began.promise;
  const history = new LogHistory({ entries: first.history.entries });
  const b = bench({ scenario: twoCalls, history, tools: [echo("Other")] });
  assert.deepEqual(await b.run(null), { kind: "finished", text: "end" });
  assert.match(history.story()[3] ?? "", /there is no tool named Echo; the tools are: Other/);
});
