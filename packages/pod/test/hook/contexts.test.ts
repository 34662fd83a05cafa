/** What hooks are shown: snapshots of their point, frozen all the way down, and nothing of the host behind them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookContexts, HookPoint } from "@yoi/feature";
import { type Add, goesOn, hook, hookBench, oneCall, task } from "./support/hook-bench.ts";

const never = new AbortController().signal;

/** A run through every point with these hooks first; what the hooks of each point were shown, in order. */
async function contexts(hooks: readonly Add[] = []) {
  const shown: { [P in HookPoint]: HookContexts[P][] } = {
    on_prompt_submit: [],
    pre_llm_request: [],
    pre_tool_call: [],
    post_tool_call: [],
    on_turn_end: [],
    on_abort: [],
  };
  const b = hookBench({
    scenario: oneCall,
    hooks: [
      ...hooks,
      hook("on_prompt_submit", (context) => (shown.on_prompt_submit.push(context), goesOn.on_prompt_submit)),
      hook("pre_llm_request", (context) => (shown.pre_llm_request.push(context), goesOn.pre_llm_request)),
      hook("pre_tool_call", (context) => (shown.pre_tool_call.push(context), goesOn.pre_tool_call)),
      hook("post_tool_call", (context) => (shown.post_tool_call.push(context), goesOn.post_tool_call)),
      hook("on_turn_end", (context) => (shown.on_turn_end.push(context), goesOn.on_turn_end)),
      hook("on_abort", (context) => (shown.on_abort.push(context), goesOn.on_abort)),
    ],
  });
  const submitted = await b.points.promptSubmit({ inputText: "go", turnIndex: 3 }, never);
  const outcome = await b.run("go");
  b.points.aborted("because");
  await b.points.settled();
  return { shown, b, submitted, outcome };
}

const callId = "5.0";
const handle = "a handle";

test("A0-02, A1-03, A1-11: each point has a context of its own, a bounded summary; only the pre-request one has a handle", async () => {
  const { shown } = await contexts();
  const seen = {
    ...shown,
    pre_llm_request: shown.pre_llm_request.map(({ info, systemItems }) => ({
      info: { ...info, estimatedTokens: info.estimatedTokens > 0 },
      systemItems: systemItems === null ? null : handle,
    })),
  };
  const estimatedTokens = true;
  assert.deepEqual(seen, {
    on_prompt_submit: [{ inputText: "go", turnIndex: 3 }],
    pre_llm_request: [
      { info: { itemCount: 1, estimatedTokens, turnIndex: 0, toolCallsThisRun: 0 }, systemItems: handle },
      { info: { itemCount: 3, estimatedTokens, turnIndex: 1, toolCallsThisRun: 1 }, systemItems: handle },
    ],
    pre_tool_call: [
      { callId, toolName: "Echo", arguments: { say: "a", deep: { list: [1] } }, readOnly: false },
    ],
    post_tool_call: [{ callId, toolName: "Echo", isError: false, output: { summary: "said a" } }],
    on_turn_end: [{ turnIndex: 2, toolCallsThisRun: 1, finalTextPreview: "end" }],
    on_abort: [{ reason: "because" }],
  });
});

test("A1-11: the content of a result is shown as it was committed, and a reason is cut at 512 characters", async () => {
  const outputs: unknown[] = [];
  const reasons: string[] = [];
  const content = "x".repeat(70_000);
  const b = hookBench({
    scenario: oneCall,
    limits: { contentBytesMax: 1_000 },
    tools: [
      {
        definition: { name: "Echo", description: "Echoes.", input_schema: { type: "object" } },
        readOnly: false,
        execute: async () => ({ summary: "long", content }),
      },
    ],
    hooks: [
      hook("post_tool_call", ({ output }) => (outputs.push(output), goesOn.post_tool_call)),
      hook("on_abort", ({ reason }) => (reasons.push(reason), goesOn.on_abort)),
    ],
  });
  await b.run("go");
  const committed = b.history.items.flatMap(({ item }) =>
    item.type === "tool_result" ? [{ summary: item.summary, content: item.content }] : [],
  );
  assert.deepEqual(outputs, committed);
  assert.ok((committed[0]?.content?.length ?? 0) < 1_200);
  b.points.aborted("r".repeat(600));
  b.points.aborted("r".repeat(512));
  await b.points.settled();
  assert.deepEqual(reasons, [`${"r".repeat(511)}…`, "r".repeat(512)]);
});

/** Every object that can be reached by its own properties, getters included, with the way to it. Prototypes are given where they are not the language's own. */
function reachable(root: object): Map<object, string> {
  const found = new Map<object, string>();
  const visit = (value: unknown, path: string) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || found.has(value))
      return;
    if (intrinsics.has(value)) return;
    found.set(value, path);
    visit(Object.getPrototypeOf(value), `${path}.__proto__`);
    for (const key of Reflect.ownKeys(value)) visit(Reflect.get(value, key), `${path}.${String(key)}`);
  };
  visit(root, "context");
  return found;
}
const intrinsics = new Set<unknown>([Object.prototype, Function.prototype, Array.prototype]);

test("A0-05, A1-04, A1-14, A2-14: nothing can be reached from a context but values and the one method of the handle, all frozen", async () => {
  const { shown } = await contexts();
  for (const [point, seen] of Object.entries(shown)) {
    assert.ok(seen.length > 0, point);
    for (const context of seen) {
      for (const [value, path] of reachable(context)) {
        assert.ok(Object.isFrozen(value), `${point}: ${path} is not frozen`);
        if (typeof value === "function") assert.equal(path, "context.systemItems.appendTaskReminder");
      }
    }
  }
  const found = reachable({ deep: [() => 0] });
  assert.deepEqual([...found.values()].slice(1, 3), ["context.deep", "context.deep.0"], "control: it walks");
});

test("A0-04, A0-05, A0-09: the handle holds exactly one method, is no class, and shows no queue; its receipt shows a word", async () => {
  let receipt: object = {};
  const { shown } = await contexts([
    hook("pre_llm_request", ({ systemItems }) => {
      receipt = systemItems?.appendTaskReminder("x") ?? receipt;
      return goesOn.pre_llm_request;
    }),
  ]);
  const systemItems = shown.pre_llm_request[0]?.systemItems;
  assert.ok(systemItems);
  assert.deepEqual(Reflect.ownKeys(systemItems), ["appendTaskReminder"]);
  assert.equal(Object.getPrototypeOf(systemItems), Object.prototype);
  assert.equal(systemItems.constructor, Object, "no class to make another one of");
  const method: object = systemItems.appendTaskReminder;
  assert.deepEqual(Reflect.ownKeys(method), ["length", "name"]);
  assert.throws(() => Reflect.construct(systemItems.appendTaskReminder, []), TypeError);
  assert.deepEqual(Reflect.ownKeys(receipt), ["state"]);
  assert.equal(Reflect.get(receipt, "state"), "committed");
  assert.ok(Object.isFrozen(receipt));
});

const mutations: { readonly [P in HookPoint]: readonly ((context: never) => unknown)[] } = {
  on_prompt_submit: [
    (c: { inputText: string }) => (c.inputText = "other"),
    (c: { turnIndex?: number }) => delete c.turnIndex,
  ],
  pre_llm_request: [
    (c: { info: { itemCount: number } }) => (c.info.itemCount = 0),
    (c: { info: object }) => (c.info = {}),
    (c: { systemItems: unknown }) => (c.systemItems = null),
    (c: { systemItems: { appendTaskReminder: unknown } }) => (c.systemItems.appendTaskReminder = () => {}),
    (c: { systemItems: { appendTaskReminder: { call: unknown } } }) =>
      (c.systemItems.appendTaskReminder.call = 1),
  ],
  pre_tool_call: [
    (c: { arguments: object }) => (c.arguments = { say: "b" }),
    (c: { arguments: { say: string } }) => (c.arguments.say = "b"),
    (c: { arguments: { say?: string } }) => delete c.arguments.say,
    (c: { arguments: { deep: { list: number[] } } }) => c.arguments.deep.list.push(2),
    (c: { arguments: object }) => Object.setPrototypeOf(c.arguments, { say: "b" }),
    (c: { toolName: string }) => (c.toolName = "Other"),
  ],
  post_tool_call: [
    (c: { output: { summary: string } }) => (c.output.summary = "other"),
    (c: { output: { content: string } }) => (c.output.content = "more"),
    (c: { isError: boolean }) => (c.isError = true),
  ],
  on_turn_end: [(c: { finalTextPreview: string }) => (c.finalTextPreview = "other")],
  on_abort: [(c: { reason: string }) => (c.reason = "other")],
};
const everywhere: readonly ((context: object) => unknown)[] = [
  (c) => Object.assign(c, { extra: 1 }),
  (c) => Object.defineProperty(c, "extra", { value: 1 }),
  (c) => Object.setPrototypeOf(c, { polluted: true }),
  (c) => ((c as { __proto__: unknown }).__proto__ = { polluted: true }),
  (c) => Object.assign(c, JSON.parse('{"__proto__":{"polluted":true},"constructor":{}}')),
];

test("A0-14, A2-14: a hook that changes its context gets an error, and nobody after it sees a change", async () => {
  const untouched = await contexts();
  const tried: string[] = [];
  const changing = Object.entries(mutations).map(([point, own]) =>
    hook(
      point as HookPoint,
      ((context: never) => {
        for (const [index, change] of [...own, ...everywhere].entries()) {
          assert.throws(() => change(context), TypeError, `${point}, change ${index}`);
          tried.push(point);
        }
        return goesOn[point as HookPoint];
      }) as never,
    ),
  );
  const { shown, b, submitted, outcome } = await contexts(changing);
  assert.deepEqual(JSON.parse(JSON.stringify(shown)), JSON.parse(JSON.stringify(untouched.shown)));
  assert.deepEqual(submitted, goesOn.on_prompt_submit);
  assert.deepEqual(
    outcome,
    { kind: "finished", text: "end" },
    "no gate has seen a failure: every change threw",
  );
  assert.deepEqual(b.alerts.last, []);
  assert.equal(new Set(tried).size, 6);
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
  assert.ok(b.history.story().includes("result: said a"), "the tool ran with the arguments of the call");
});

test("A2-14: arguments are those that will run: the gate, the tool and the log have the same ones", async () => {
  const seen: unknown[] = [];
  const b = hookBench({
    scenario: oneCall,
    tools: [
      {
        definition: { name: "Echo", description: "Echoes.", input_schema: { type: "object" } },
        readOnly: false,
        execute: async (args) => (seen.push(args), { summary: "said" }),
      },
    ],
    hooks: [
      hook("pre_tool_call", (context) => (seen.push(context.arguments), goesOn.pre_tool_call), {
        owner: task,
      }),
    ],
  });
  await b.run("go");
  assert.equal(seen.length, 2);
  assert.equal(seen[0], seen[1]);
});
