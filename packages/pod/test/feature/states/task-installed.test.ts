/** The Task feature in the registry: the first group of tools that comes through the door for everybody. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { callId, deepFreeze, type JsonObject, messageOf, type Tool, type ToolOutput } from "@yoi/base";
import { createTools } from "@yoi/tools";
import { taskFeature } from "../../../../builtin/src/index.ts";
import { TaskReminder } from "../../../../builtin/src/task/task-reminder.ts";
import { TaskStore } from "../../../../builtin/src/task/task-store.ts";
import { LogHistory } from "../../../../worker/test/support/log-history.ts";
import { Alerts } from "../../../src/alert/alerts.ts";
import { HookRegistry } from "../../../src/hook/registry.ts";
import { beginLife, installTasks, restoredTasks } from "./task-life.ts";

interface Golden {
  readonly tools: readonly JsonObject[];
  readonly outputs: readonly {
    readonly tool: string;
    readonly args: JsonObject;
    readonly output: ToolOutput;
  }[];
}
const golden = JSON.parse(
  readFileSync(new URL("../../../../builtin/test/task/golden/tools.json", import.meta.url), "utf8"),
) as Golden;

const anyTool = (name: string): Tool => ({
  definition: { name, description: "", input_schema: { type: "object" } },
  readOnly: true,
  execute: async () => ({ summary: "" }),
});

async function installed(existing: readonly Tool[] = []) {
  const hooks = new HookRegistry();
  const alerts = new Alerts({ clock: { now: () => 0 }, told: () => {} });
  return { hooks, alerts, features: await installTasks(hooks, alerts, existing) };
}

/** As the worker calls: a failure is an error result. */
async function outputOf(tools: readonly Tool[], name: string, args: JsonObject): Promise<ToolOutput> {
  const tool = tools.find(({ definition }) => definition.name === name) ?? assert.fail(name);
  const context = { call: callId(1, 0), signal: new AbortController().signal, progress: () => {} };
  return tool
    .execute(deepFreeze(args), context)
    .catch((thrown: unknown) => ({ summary: messageOf(thrown), is_error: true }));
}

test("A2-66, A0-31: through the registry the Task tools are what they are without it, in definition and output", async () => {
  const { features } = await installed();
  const tools = features.tools.map(({ definition, readOnly }) => ({ ...definition, read_only: readOnly }));
  assert.deepEqual(tools, golden.tools);
  for (const { tool, args, output } of golden.outputs) {
    assert.deepEqual(await outputOf(features.tools, tool, args), output, tool);
  }
});

test("A2-66: the report says what was installed, and nobody has to be alerted", async () => {
  const { features, alerts } = await installed();
  const [{ digest, ...report } = assert.fail("no report"), ...more] = features.reports;
  assert.match(digest ?? "", /^[0-9a-f]{64}$/);
  assert.deepEqual(more, []);
  assert.deepEqual(JSON.parse(JSON.stringify(report)), {
    feature: "builtin:task",
    runtime: "builtin",
    display_name: "Task tools",
    version: "1.0.0",
    status: "installed",
    granted: [],
    denied: [],
    tools: ["TaskCreate", "TaskList", "TaskGet", "TaskUpdate"],
    hooks: [
      { name: "task-reminder-pre-request", point: "pre_llm_request", required: true },
      { name: "task-reminder-tool-usage", point: "pre_tool_call", required: true },
    ],
    background_tasks: [],
    provides_services: [],
    uses_services: [],
    skipped: [],
    diagnostics: [],
  });
  assert.deepEqual(alerts.last, []);
});

// The host of these tests throws whatever it is asked for.
test("A0-30: the Task feature asks for no authority and no service, and installs where there are none", async () => {
  const { descriptor } = taskFeature();
  assert.deepEqual(
    [
      descriptor.authorities,
      descriptor.requires_services,
      descriptor.provides_services,
      descriptor.background_tasks,
    ],
    [[], [], [], []],
  );
  const { features } = await installed();
  assert.equal(features.reports[0]?.status, "installed");
});

test("A2-67: the tools that every Pod has are not in the Task group, and the Task group is not among them", async () => {
  const never = () => assert.fail("making tools needs nothing");
  const core = createTools(
    new Proxy({} as Parameters<typeof createTools>[0], {
      get: (_, name) => (name === "files" || name === "seen" ? {} : never),
    }),
  );
  const { features } = await installed(core);
  const names = features.tools.map(({ definition }) => definition.name);
  assert.deepEqual(names, ["TaskCreate", "TaskList", "TaskGet", "TaskUpdate"]);
  const coreNames = core.map(({ definition }) => definition.name);
  assert.ok(coreNames.includes("Read") && coreNames.includes("Bash"));
  assert.ok(!coreNames.some((name) => names.includes(name)));
});

test("A2-67: where another tool has the name of one of them, the group is left out as a whole and that tool stays", async () => {
  const { features, hooks } = await installed([anyTool("TaskGet")]);
  assert.deepEqual(features.tools, []);
  assert.deepEqual(hooks.at("pre_llm_request"), []);
  assert.deepEqual(features.states.snapshot().states, {});
});

test("A0-29: the feature touches the registrars it needs during install, and nothing of the host afterwards", async () => {
  const touched: string[] = [];
  let isOver = false;
  const recorded = <T extends object>(place: string, target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        assert.ok(!isOver, `${place}.${String(name)} was used after install`);
        const path = `${place}${String(name)}`;
        if (!touched.includes(path)) touched.push(path);
        return path.includes(".") ? () => {} : recorded(`${path}.`, {});
      },
    });
  const module = taskFeature();
  await module.install(recorded("", {} as Parameters<typeof module.install>[0]));
  isOver = true;
  module.state?.restore([], null);
  module.state?.snapshot();
  assert.deepEqual(touched.toSorted(), [
    "hooks",
    "hooks.preLlmRequest",
    "hooks.preToolCall",
    "tools",
    "tools.register",
  ]);
});

/** Every object that can be reached by properties and prototypes. */
function reachable(from: unknown): Set<object> {
  const seen = new Set<object>();
  const walk = (value: unknown) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value))
      return;
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) {
      const { value: field, get } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      walk(field);
      walk(get);
    }
    walk(Object.getPrototypeOf(value));
  };
  walk(from);
  return seen;
}

test("A0-29, A2-57: the module shows data and functions, and what the host keeps of it leads to no store and no counter", async () => {
  const module = taskFeature();
  assert.deepEqual(Object.keys(module).toSorted(), ["descriptor", "install", "state"]);
  assert.deepEqual(Object.keys(module.state ?? {}).toSorted(), ["describe", "panel", "restore", "snapshot"]);
  const { features, hooks } = await installed();
  const kept = [module, features, features.reports, hooks.at("pre_llm_request"), hooks.at("pre_tool_call")];
  const isOwn = (value: object) => value instanceof TaskStore || value instanceof TaskReminder;
  const objects = [...reachable(kept)];
  assert.ok(objects.length > 100, "the walk found too little");
  assert.deepEqual(objects.filter(isOwn), []);
  // Control: one that is there is found.
  assert.equal([...reachable({ deep: [{ store: new TaskStore() }] })].filter(isOwn).length, 1);
});

test("A2-58: the tasks are in records and snapshots alone: without a single text of history they are the same", async () => {
  const history = new LogHistory();
  const life = await beginLife({
    history,
    scenario: JSON.stringify({
      steps: [
        { tool_calls: [{ name: "TaskCreate", arguments: { subject: "a", description: "b" } }] },
        { tool_calls: [{ name: "TaskUpdate", arguments: { taskid: 1, status: "completed" } }] },
        { text: "done" },
      ],
    }),
  });
  await life.run("go");
  const bare = history.items.flatMap(({ seq, item }) => {
    if (item.type !== "tool_result") return [];
    const { content: _content, ...rest } = item;
    return [{ seq, item: { ...rest, summary: "" } }];
  });
  assert.deepEqual(await restoredTasks(bare), life.tasks());
  // And the feature wrote nothing of its own into the log.
  assert.deepEqual(history.kinds("extension"), []);
});

test("A2-59: the state that a segment begins with and the records behind it give the tasks, without what came before", async () => {
  const history = new LogHistory();
  const step = (subject: string) => ({
    tool_calls: [{ name: "TaskCreate", arguments: { subject, description: "" } }],
  });
  const life = await beginLife({
    history,
    scenario: JSON.stringify({ steps: [step("a"), { text: "ok" }, step("b"), { text: "ok" }] }),
  });
  await life.run("one");
  const folded = life.tasks();
  const before = history.items.length;
  await life.run("two");
  assert.deepEqual(await restoredTasks(history.items.slice(before), folded), life.tasks());
});
