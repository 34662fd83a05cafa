/** Actions as they take effect: read once, made our own, bounded, and told to the worker as what they mean at their point. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type HookPoint, hookPoints } from "@yoi/feature";
import { readAction } from "../../src/hook/action.ts";
import { boundedText, saidCharsMax } from "../../src/hook/said.ts";
import {
  goOn,
  goesOn,
  hook,
  hookBench,
  lint,
  oneCall,
  owned,
  redact,
  said,
  task,
} from "./support/hook-bench.ts";

const stops: {
  readonly [P in HookPoint]: readonly { readonly action: string; readonly [text: string]: string }[];
} = {
  on_prompt_submit: [{ action: "cancel", reason: "r" }],
  pre_llm_request: [
    { action: "cancel", reason: "r" },
    { action: "yield", reason: "r" },
  ],
  pre_tool_call: [
    { action: "deny", message: "m", refusal: "denied" },
    { action: "abort", reason: "r" },
    { action: "pause", reason: "r" },
  ],
  post_tool_call: [{ action: "abort", reason: "r" }],
  on_turn_end: [{ action: "pause", reason: "r" }],
  on_abort: [],
};

test("A1-02, A1-12: each point takes exactly its own actions, by tag, and refuses those of every other point", () => {
  const tags = new Set([
    "continue_with",
    "yield_with",
    "skip",
    "result",
    ...Object.values(goesOn).map((a) => a.action),
  ]);
  for (const actions of Object.values(stops)) for (const { action } of actions) tags.add(action);
  assert.equal(tags.size, 12);
  for (const point of hookPoints) {
    const own = [goesOn[point], ...stops[point]];
    for (const action of own) assert.deepEqual(readAction(point, action), { action });
    for (const tag of tags) {
      if (own.some(({ action }) => action === tag)) continue;
      const read = readAction(point, { action: tag, reason: "r", message: "m" });
      assert.ok("problem" in read, `${point} took ${tag}`);
    }
  }
});

test("what is read is an action of our own: extra fields are left behind, and what is given may change later", () => {
  for (const point of hookPoints) {
    for (const action of [goesOn[point], ...stops[point]]) {
      const given = { ...action, items: [{ type: "user_message" }], extra: 1 };
      const read = readAction(point, given);
      assert.deepEqual(read, { action });
      given.action = "changed";
      assert.deepEqual(read, { action });
    }
  }
});

test("each field is read once: a Proxy that answers otherwise the second time is taken at its first word", () => {
  for (const point of hookPoints) {
    for (const action of stops[point]) {
      const asked: string[] = [];
      const given = new Proxy(
        { ...action },
        {
          get(target, name) {
            const again = asked.includes(String(name));
            asked.push(String(name));
            return again ? "other" : Reflect.get(target, name);
          },
        },
      );
      assert.deepEqual(readAction(point, given), { action });
      assert.equal(new Set(asked).size, asked.length, `${point}: ${asked.join(", ")}`);
      assert.ok(asked.every((name) => name in action || name === "refusal"));
    }
  }
});

test("a reason is bounded to 512 characters, on one line, without secrets and halves of characters", () => {
  assert.equal(saidCharsMax, 512);
  const table: readonly [given: string, shown: string][] = [
    ["plain", "plain"],
    ["x".repeat(512), "x".repeat(512)],
    ["x".repeat(513), `${"x".repeat(511)}…`],
    ["x".repeat(1 << 20), `${"x".repeat(511)}…`],
    ["a\nb\u001b[31m\u0000\u202e", "a\\u000ab\\u001b[31m\\u0000\\u202e"],
    ["the key is hunter2", "the key is [redacted]"],
    ["a\ud800", "a\ufffd"],
    [`${"x".repeat(510)}😀😀`, `${"x".repeat(510)}…`],
    [`${"x".repeat(508)}hunter2`, `${"x".repeat(508)}[re…`],
  ];
  for (const [given, shown] of table) {
    assert.equal(boundedText(given, { redact }), shown, given.slice(0, 40));
    assert.ok(shown.length <= 512);
  }
});

describe("what an action becomes", () => {
  const secret = "hunter2\n";
  const shown = "[redacted]\\u000a";
  const long = "x".repeat(513);
  /** Of a hook with the name of its point. */
  const at = (point: HookPoint, text: string) => {
    const whole = owned(point, text);
    return whole.length <= saidCharsMax ? whole : `${whole.slice(0, saidCharsMax - 1)}…`;
  };

  for (const [given, told] of [
    [secret, shown],
    [long, long],
    [" ", "no reason given"],
  ] as const) {
    test(`a stopping action of a feature says ${JSON.stringify(told.slice(0, 20))}`, async () => {
      const run = async (...hooks: Parameters<typeof hookBench>[0]["hooks"]) => {
        const b = hookBench({ hooks, scenario: oneCall });
        return {
          outcome: await b.run("go"),
          results: b.history.story().filter((line) => line.startsWith("error")),
        };
      };
      const aborted = (point: HookPoint) => ({ kind: "aborted", reason: at(point, told) });
      const reason = given;
      assert.deepEqual(
        (await run(hook("pre_llm_request", () => ({ action: "cancel", reason })))).outcome,
        aborted("pre_llm_request"),
      );
      assert.deepEqual((await run(hook("pre_llm_request", () => ({ action: "yield", reason })))).outcome, {
        kind: "yielded",
        by: { kind: "hook" },
        reason: at("pre_llm_request", told),
      });
      assert.deepEqual(await run(hook("pre_tool_call", () => ({ action: "abort", reason }))), {
        outcome: aborted("pre_tool_call"),
        results: ["error: not executed"],
      });
      const paused = (point: HookPoint) => ({ kind: "paused", reason: "hook", detail: at(point, told) });
      assert.deepEqual(
        (await run(hook("pre_tool_call", () => ({ action: "pause", reason })))).outcome,
        paused("pre_tool_call"),
      );
      assert.deepEqual(
        (await run(hook("post_tool_call", () => ({ action: "abort", reason })))).outcome,
        aborted("post_tool_call"),
      );
      assert.deepEqual(
        (await run(hook("on_turn_end", () => ({ action: "pause", reason })))).outcome,
        paused("on_turn_end"),
      );
      assert.deepEqual(
        (await run(hook("pre_tool_call", () => ({ action: "deny", message: given })))).results,
        [`error: ${at("pre_tool_call", told)}`],
      );
    });
  }

  const twoCalls = `
steps:
  - tool_calls:
      - { name: Echo, arguments: { say: a } }
      - { name: Echo, arguments: { say: b } }
  - text: end
`;

  test("A1-13, A2-76: a deny is one error result for its own call, as the host makes it; the batch and the run go on", async () => {
    const b = hookBench({
      scenario: twoCalls,
      hooks: [
        hook("pre_tool_call", ({ arguments: args }) =>
          args["say"] === "a"
            ? ({
                action: "deny",
                message: "not a",
                summary: "done",
                is_error: false,
                refusal: "asked",
              } as never)
            : goOn,
        ),
      ],
    });
    assert.deepEqual(await b.run("go"), { kind: "finished", text: "end" });
    const results = b.history.items.flatMap(({ item }) => (item.type === "tool_result" ? [item] : []));
    const common = { type: "tool_result", name: "Echo" };
    assert.deepEqual(results, [
      { ...common, call: "5.0", summary: owned("pre_tool_call", "not a"), is_error: true, refusal: "denied" },
      { ...common, call: "5.1", summary: "said b", is_error: false },
    ]);
  });

  test("a host_safety hook says itself whether somebody might have allowed the call, in words of its own length", async () => {
    const message = `Refused by the rule ${"x".repeat(600)}.`;
    const safety = hook("pre_tool_call", () => ({ action: "deny", message, refusal: "asked" }), {
      band: "host_safety",
    });
    const later = hook("pre_tool_call", () => assert.fail("a feature was asked about a refused call"));
    const b = hookBench({ scenario: oneCall, hooks: [later, safety] });
    await b.run("go");
    const results = b.history.items.flatMap(({ item }) => (item.type === "tool_result" ? [item] : []));
    assert.deepEqual(
      results.map(({ summary, refusal }) => ({ summary, refusal })),
      [{ summary: message, refusal: "asked" }],
    );
  });

  test("what hooks of host_accounting say is bounded as a feature's is, and no call of theirs is one to be asked about", async () => {
    const message = "x".repeat(513);
    const denies = hook("pre_tool_call", () => ({ action: "deny", message, refusal: "asked" }), {
      band: "host_accounting",
    });
    const b = hookBench({ scenario: oneCall, hooks: [denies] });
    await b.run("go");
    const results = b.history.items.flatMap(({ item }) => (item.type === "tool_result" ? [item] : []));
    assert.deepEqual(
      results.map(({ summary, refusal }) => ({ summary, refusal })),
      [{ summary: at("pre_tool_call", message), refusal: "denied" }],
    );
  });

  test("A2-11: the first action that does not go on stands, and no later hook is asked", async () => {
    for (const point of ["pre_llm_request", "pre_tool_call", "post_tool_call", "on_turn_end"] as const) {
      const asked: string[] = [];
      const stop = {
        action: point === "pre_llm_request" ? "cancel" : point === "on_turn_end" ? "pause" : "abort",
        reason: "first",
      };
      const b = hookBench({
        scenario: oneCall,
        hooks: [
          hook(point, (() => (asked.push("goes on"), goesOn[point])) as never, { owner: lint }),
          hook(point, (() => (asked.push("stops"), stop)) as never),
          hook(point, (() => (asked.push("later"), { ...stop, reason: "second" })) as never, { owner: lint }),
        ],
      });
      const outcome = await b.run("go");
      assert.deepEqual(asked, ["goes on", "stops"], point);
      assert.equal(
        "detail" in outcome ? outcome.detail : "reason" in outcome && outcome.reason,
        owned(point, "first"),
      );
    }
  });

  test("a pause of a call: nothing of the batch starts, and when the run is resumed every hook is asked again", async () => {
    const asked: string[] = [];
    let allow = false;
    const b = hookBench({
      scenario: twoCalls,
      hooks: [
        hook("pre_tool_call", ({ callId }) => {
          asked.push(callId);
          return allow || callId === "5.0" ? goOn : { action: "pause", reason: "wait" };
        }),
      ],
    });
    assert.deepEqual(await b.run("go"), {
      kind: "paused",
      reason: "hook",
      detail: owned("pre_tool_call", "wait"),
    });
    assert.equal(b.history.kinds("tool_started").length, 0);
    allow = true;
    assert.deepEqual(await b.run(null), { kind: "finished", text: "end" });
    assert.deepEqual(asked, ["5.0", "5.1", "5.0", "5.1"]);
  });

  test("what hooks give is no part of any decision: an observer cannot change the result that it was shown", async () => {
    const b = hookBench({
      scenario: oneCall,
      hooks: [
        hook("post_tool_call", () => ({ action: "continue", output: { summary: "forged" } }) as never, {
          owner: task,
        }),
      ],
    });
    await b.run("go");
    assert.ok(b.history.story().includes("result: said a"));
    assert.equal(JSON.stringify(b.history.entries).includes("forged"), false);
    assert.deepEqual(said(b.alerts.last), []);
  });
});
