/** Resuming: what a log leaves open goes on where it was, whatever was cut, and no started call runs again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogEntry } from "@yoi/base";
import type { LoopPoints } from "../src/index.ts";
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
  assert.deepEqual(await b.run(null), { kind: "finished", text: "one two threone two three four" });
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
  assert.deepEqual(await b.run(null), { kind: "finished", text: "a longend" });
  assert.deepEqual(b.history.story(), ["user: go", "cut text: a long", "note: interrupt", "text: end"]);
});

test("the text of a resumed run is the whole answer: what was kept of it before, then what came", async () => {
  const scenario = JSON.stringify({
    steps: [
      { text: "Looking. ", tool_calls: [{ name: "Echo", arguments: { say: "a" } }] },
      {
        attempts: [
          { text: "One, ", cut_after: 5 },
          {
            blocks: [{ text: "two" }, { reasoning: "hm" }, { text: "three, " }],
            failure: { kind: "server", retryable: false },
          },
          { text: "four, ", finish: "length" },
          { expect: { last_input: "cut off" }, text: "five." },
        ],
      },
    ],
  });
  let pauses = 1;
  const points: Partial<LoopPoints> = {
    turnEnd: async ({ finalTextPreview }) => {
      assert.equal(finalTextPreview, "One, two\n\nthree, four, five.");
      pauses -= 1;
      return pauses < 0 ? { action: "finish" } : { action: "pause", reason: "review" };
    },
  };
  const first = bench({ scenario });
  assert.equal((await first.run("go")).kind, "failed");
  const second = bench({ scenario, history: new LogHistory({ entries: first.history.entries }) });
  assert.deepEqual(await second.run(null), { kind: "finished", text: "One, two\n\nthree, four, " });
  const third = bench({ scenario, points, history: new LogHistory({ entries: second.history.entries }) });
  assert.deepEqual(await third.run(null), { kind: "paused", reason: "hook", detail: "review" });
  // A paused end is asked again with the same text.
  const fourth = bench({ scenario, points, history: new LogHistory({ entries: third.history.entries }) });
  assert.deepEqual(await fourth.run(null), { kind: "finished", text: "One, two\n\nthree, four, five." });
});

test("a whole answer is no part of the next one that nobody asked for", async () => {
  const b = bench({
    scenario: `steps: [{ text: first. }, { attempts: [{ text: "sec", cut_after: 3, failure: { kind: server, retryable: false } }, { text: ond. }] }]`,
  });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "first." });
  await b.history.append([
    {
      kind: "system_item",
      item: { type: "system_item", kind: "notification", source: "host", body: "news" },
    },
  ]);
  assert.equal((await b.run(null)).kind, "failed");
  assert.deepEqual(await b.run(null), { kind: "finished", text: "second." });
});

/** Resumes a whole run's log cut behind every entry; calls `check` with what ran and what had been started. */
async function cutEverywhere(
  open: (entries: readonly LogEntry[]) => LogHistory,
  check: (cut: {
    readonly where: string;
    readonly history: LogHistory;
    readonly executed: string[];
    readonly started: Set<string>;
  }) => void,
): Promise<void> {
  const nothing = async () => {};
  const executed: string[] = [];
  const make = (history: LogHistory) => {
    const tools = richTools(nothing, (call) => executed.push(call));
    return bench({
      scenario: richScenario,
      tools,
      points: richPoints(nothing, () => history),
      history,
    });
  };
  const whole = new LogHistory();
  assert.equal((await make(whole).run("go")).kind, "finished");
  assert.equal(executed.length, 4);
  const first = whole.entries.findIndex((entry) => entry.kind === "user_input");
  assert.ok(whole.entries.length - first > 30);
  for (let cut = first + 1; cut <= whole.entries.length; cut += 1) {
    executed.length = 0;
    const history = open(whole.entries.slice(0, cut));
    const started = new Set(
      history.kinds("tool_started").map((entry) => ("call" in entry ? String(entry.call) : "")),
    );
    const outcome = await make(history).run(null);
    const where = `cut behind ${cut - 1} (${whole.entries[cut - 1]?.kind})`;
    const story = history.story();
    const behind = story.slice(story.findLastIndex((line) => /^(user|result|error): /.test(line)) + 1);
    const said = behind.flatMap((line) => line.match(/(?<=text: ).*/)?.[0] ?? []).join("");
    assert.match(said, /^(All done\.)+$/, where);
    assert.deepEqual(outcome, { kind: "finished", text: said }, where);
    check({ where, history, executed, started });
  }
}

test("a log cut behind any entry goes on to the end: every call answered once, none run twice", async () => {
  await cutEverywhere(
    (entries) => new LogHistory({ entries }),
    ({ where, history, executed, started }) => {
      const again = executed.filter((call) => started.has(call));
      assert.deepEqual(again, [], `${where}: a started call ran again`);
      assert.equal(new Set(executed).size, executed.length, where);
      assert.deepEqual(history.unanswered, [], where);
      history.assertReplays();
      history.assertBuilds();
    },
  );
});

test("control: a history that forgets which calls were started runs some of them again", async () => {
  class Forgetful extends LogHistory {
    override get unanswered() {
      return super.unanswered.map((call) => ({ ...call, started: false }));
    }
  }
  let again = 0;
  await cutEverywhere(
    (entries) => new Forgetful({ entries }),
    ({ executed, started }) => {
      again += executed.filter((call) => started.has(call)).length;
    },
  );
  assert.ok(again > 0);
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
  assert.match(history.story()[3] ?? "", /there is no tool named "Echo"; the tools are: Other/);
});
