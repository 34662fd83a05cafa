/** One batch of calls: judged in order, started in one record, run in parallel, each result committed as it completes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, utf8Length, YoiError } from "@yoi/base";
import { type Bench, bench, type BenchOptions, echo, gate, tool } from "./support/bench-worker.ts";

/** A scenario of one answer with these calls, then a closing text. */
function calls(...made: [name: string, args: JsonObject | string][]): string {
  const toolCalls = made.map(([name, args]) => ({ name, arguments: args }));
  return JSON.stringify({ steps: [{ tool_calls: toolCalls }, { text: "end" }] });
}

async function results(options: BenchOptions): Promise<{ story: string[]; bench: Bench }> {
  const b = bench(options);
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "end" });
  b.history.assertReplays();
  b.history.assertBuilds();
  return { story: b.history.story().filter((line) => /^(result|error)/.test(line)), bench: b };
}

test("D-1: arguments that are not a JSON object are an error result with the position, and nothing runs", async () => {
  const cases: [text: string, message: RegExp][] = [
    ['{"say": "a', /Unterminated string in JSON at position 10/],
    ['{"say"', /at position 6/],
    ["{", /at position 1/],
    ["", /Unexpected end of JSON input at position 0/],
    ["[1]", /they are an array/],
    ["null", /they are null/],
    ['"text"', /they are a string/],
    ["7", /they are a number/],
    ["{} {}", /at position 3/],
  ];
  for (const [text, message] of cases) {
    const never = tool("Echo", async () => assert.fail("it ran"));
    const { story } = await results({ scenario: calls(["Echo", text]), tools: [never] });
    assert.equal(story.length, 1);
    assert.match(story[0] ?? "", message);
    assert.match(story[0] ?? "", /^error: the arguments of Echo are not a JSON object: /);
  }
});

test("an unknown tool is an error result, and the others run", async () => {
  const { story } = await results({ scenario: calls(["Eco", {}], ["Echo", { say: "a" }]) });
  assert.deepEqual(story, ['error: there is no tool named "Eco"; the tools are: Echo', "result: said a"]);
});

test("a name that no tool can have stays in history as it was written, and is an unknown tool", async () => {
  for (const name of ["", " ", "functions.Echo <|x|>", "Echo\n", "é".repeat(64)]) {
    const never = tool("Echo", async () => assert.fail("it ran"));
    const { story, bench: b } = await results({ scenario: calls([name, {}]), tools: [never] });
    assert.deepEqual(story, [`error: there is no tool named ${JSON.stringify(name)}; the tools are: Echo`]);
    const named = b.history.items.flatMap(({ item }) =>
      item.type === "tool_call" || item.type === "tool_result" ? [item.name] : [],
    );
    assert.deepEqual(named, [name, name]);
  }
});

test("whatever a tool throws or gives becomes a result", async () => {
  const gives: [execute: () => unknown, result: string][] = [
    [
      () => Promise.reject(new YoiError("out_of_scope", "That is outside the scope.")),
      "error: That is outside the scope.",
    ],
    [() => Promise.reject("a text"), "error: a text"],
    [() => Promise.reject({ odd: 1 }), 'error: {"odd":1}'],
    [() => Promise.reject(undefined), "error: undefined"],
    [
      () => {
        throw new Error("at once");
      },
      "error: at once",
    ],
    [() => undefined, "error: Echo ended and gave no result that can be read"],
    [() => ({ summary: 3 }), "error: Echo ended and gave no result that can be read"],
    [() => ({ summary: "s", content: 3 }), "error: Echo ended and gave no result that can be read"],
    [() => ({ summary: "bad", is_error: true }), "error: bad"],
    [() => ({ summary: "good" }), "result: good"],
  ];
  for (const [execute, result] of gives) {
    const odd = tool("Echo", execute as () => Promise<never>);
    const { story } = await results({ scenario: calls(["Echo", {}]), tools: [odd] });
    assert.deepEqual(story, [result]);
  }
});

test("summary and content are bounded, errors too, at characters, and the marker counts", async () => {
  const summary = "é".repeat(2000);
  const big = tool("Big", async () => ({ summary, content: "x".repeat(70_000) }));
  const bad = tool("Bad", async () => {
    throw new Error("y".repeat(3000));
  });
  const { bench: b } = await results({ scenario: calls(["Big", {}], ["Bad", {}]), tools: [big, bad] });
  for (const { item } of b.history.items) {
    if (item.type !== "tool_result") continue;
    assert.ok(utf8Length(item.summary) <= 2048);
    const [, dropped] = /\n\[(\d+) bytes dropped: ask for less at a time\]$/.exec(item.summary) ?? [];
    const whole = item.name === "Big" ? summary : "y".repeat(3000);
    const kept = item.summary.slice(0, item.summary.lastIndexOf("\n["));
    assert.ok(whole.startsWith(kept));
    assert.equal(Number(dropped), utf8Length(whole) - utf8Length(kept));
    if (item.content !== undefined) assert.ok(utf8Length(item.content) <= 65_536);
  }
});

test("arguments are frozen, and what the gate saw is what runs", async () => {
  let seen: JsonObject | null = null;
  const same = tool("Echo", async (args) => {
    assert.ok(Object.isFrozen(args) && Object.isFrozen(args["deep"]));
    assert.equal(args, seen);
    return { summary: "same" };
  });
  const { story } = await results({
    scenario: calls(["Echo", { deep: { a: [1] } }]),
    tools: [same],
    points: {
      gate: async (view) => {
        seen = view.args;
        return { action: "allow" };
      },
    },
  });
  assert.deepEqual(story, ["result: same"]);
});

test("a tool is told the call's id and hears nothing of progress after its end", async () => {
  let late = (_text: string) => {};
  const chatty = tool("Echo", async (_args, context) => {
    context.progress("working");
    late = context.progress;
    return { summary: context.call };
  });
  const { story, bench: b } = await results({ scenario: calls(["Echo", {}]), tools: [chatty] });
  late("ghost");
  assert.deepEqual(story, ["result: 5.0"]);
  assert.deepEqual(
    b.events.filter((event) => event.type === "tool_progress"),
    [{ type: "tool_progress", call: "5.0", text: "working" }],
  );
});

test("results are committed as they complete and asked back in call order", async () => {
  const slow = gate();
  const wait = tool("Slow", async () => {
    await slow.promise;
    return { summary: "slow" };
  });
  const fast = tool("Fast", async () => ({ summary: "fast" }));
  const { story, bench: b } = await results({
    scenario: calls(["Slow", {}], ["Fast", {}]),
    tools: [wait, fast],
    points: {
      afterResult: async (view) => {
        if (view.name === "Fast") slow.open();
        return { action: "continue" };
      },
    },
  });
  assert.deepEqual(story, ["result: fast", "result: slow"]);
  const asked = b.scripted.requests[1]?.items.map(({ item }) =>
    item.type === "tool_result" ? item.summary : item.type,
  );
  assert.deepEqual(asked, ["user_message", "tool_call", "tool_call", "slow", "fast"]);
});

test("at most eight run at a time", async () => {
  for (const count of [8, 9]) {
    let running = 0;
    let most = 0;
    const busy = tool("Busy", async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { summary: "ok" };
    });
    const made = Array.from({ length: count }, (): [string, JsonObject] => ["Busy", {}]);
    const { story } = await results({ scenario: calls(...made), tools: [busy] });
    assert.deepEqual([story.length, most], [count, 8]);
  }
});

test("calls that change one file run one after the other in call order, others beside them", async () => {
  const log: string[] = [];
  const file = tool(
    "Write",
    async (args) => {
      log.push(`begin ${String(args["n"])}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`end ${String(args["n"])}`);
      return { summary: String(args["n"]) };
    },
    {
      claim: ({ file }) => (typeof file === "string" ? { path: `/${file}`, mode: "exclusive" } : null),
    },
  );
  await results({
    scenario: calls(
      ["Write", { n: 0, file: "a" }],
      ["Write", { n: 1, file: "a" }],
      ["Write", { n: 2, file: "b" }],
      ["Write", { n: 3 }],
      ["Write", { n: 4, file: "a" }],
    ),
    tools: [file],
  });
  assert.deepEqual(log.slice(0, 3), ["begin 0", "begin 2", "begin 3"]);
  const ofA = log.filter((line) => /[014]$/.test(line));
  assert.deepEqual(ofA, ["begin 0", "end 0", "begin 1", "end 1", "begin 4", "end 4"]);
});

test("a claim that cannot be made is an error result; the call never starts", async () => {
  const odd = tool("Write", async () => assert.fail("it ran"), {
    claim: () => {
      throw new YoiError("usage", "file_path is missing.");
    },
  });
  const { story, bench: b } = await results({ scenario: calls(["Write", {}]), tools: [odd] });
  assert.deepEqual(story, ["error: file_path is missing."]);
  assert.equal(b.history.kinds("tool_started").length, 0);
});

test("D-8: an abort after a result ends the run when every started call has its result", async () => {
  const slow = gate();
  const ran: string[] = [];
  const tools = ["First", "Second", "Third"].map((name) =>
    tool(name, async () => {
      if (name === "Second") await slow.promise;
      ran.push(name);
      return { summary: name };
    }),
  );
  const b = bench({
    scenario: calls(["First", {}], ["Second", {}], ["Third", {}]),
    tools,
    limits: { parallelCallsMax: 2 },
    points: {
      afterResult: async (view) => {
        slow.open();
        return view.name === "First" ? { action: "abort", reason: "seen enough" } : { action: "continue" };
      },
    },
  });
  assert.deepEqual(await b.run("go"), { kind: "aborted", reason: "seen enough" });
  assert.deepEqual([...ran].sort(), ["First", "Second", "Third"]);
  assert.deepEqual(b.history.unanswered, []);
  assert.equal(b.history.kinds("tool_result").length, 3);
  assert.equal(b.scripted.requests.length, 1);
  b.history.assertBuilds();
});

test("an observer of results that throws is a diagnostic", async () => {
  const { story, bench: b } = await results({
    scenario: calls(["Echo", { say: "a" }]),
    tools: [echo()],
    points: { afterResult: () => Promise.reject(new Error("broken hook")) },
  });
  assert.deepEqual(story, ["result: said a"]);
  assert.deepEqual(
    b.events.filter((event) => event.type === "warning"),
    [{ type: "warning", text: "what observes the result of Echo failed: broken hook" }],
  );
});

test("providers that repeat call ids do not mix calls up", async () => {
  const same = { name: "Echo", id: "call_1" };
  const answer = (say: string) => ({ tool_calls: [{ ...same, arguments: { say } }] });
  const scenario = JSON.stringify({ steps: [answer("a"), answer("b"), { text: "end" }] });
  const { story } = await results({ scenario });
  assert.deepEqual(story, ["result: said a", "result: said b"]);
});
