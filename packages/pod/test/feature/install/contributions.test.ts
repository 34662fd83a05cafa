/** Hooks, background tasks, services and state: declared or refused, and accounted for. */
import assert from "node:assert/strict";
import test from "node:test";
import { hookPoints, serviceId, toolContribution } from "@yoi/feature";
import type { FeatureDescriptor, FeatureModule, HookRegistrar } from "@yoi/feature";
import {
  type Context,
  declared,
  descriptorOf,
  install,
  installAlone,
  type Install,
  moduleOf,
  reportOf,
  requires,
  service,
  thrownBy,
  toolOf,
} from "../features.ts";

const id = "project:one";
const full = descriptorOf(id, {
  tools: [declared("Note")],
  hooks: [{ name: "watch", point: "pre_tool_call" }],
  background_tasks: [{ name: "sweep", description: "Sweeps." }],
  provides_services: [service("project:notes")],
});
const registerAll: Install = (context) => {
  context.tools.register(toolContribution(toolOf(declared("Note"))));
  context.hooks.preToolCall("watch", () => ({ action: "continue" }));
  context.backgroundTasks.register("sweep", async () => {});
  context.services.provide(serviceId("project:notes"), "1.0.0", { get: async () => 1 });
};

/** A feature that registers what it declares, and then this. Nothing of it may be in force. */
async function refusedWith(extra: (context: Context) => void): Promise<unknown> {
  const outcomes = [];
  for (const catches of [false, true]) {
    const consumer = descriptorOf("project:zz-consumer", {
      requires_services: [requires("project:notes", false)],
    });
    let client: unknown = "not asked";
    const { installed, hooks } = await install([
      moduleOf(full, async (context) => {
        await registerAll(context);
        if (catches) thrownBy(() => extra(context));
        else extra(context);
      }),
      moduleOf(consumer, (context) => {
        client = context.services.require(serviceId("project:notes"));
      }),
    ]);
    const report = reportOf(installed.reports, id);
    assert.deepEqual(
      [report.status, report.tools, report.hooks, report.background_tasks, report.provides_services],
      ["failed", [], [], [], []],
    );
    assert.deepEqual([installed.tools, client], [[], null]);
    assert.deepEqual(
      hookPoints.flatMap((point) => [...hooks.at(point)]),
      [],
    );
    outcomes.push(report.skipped.map(({ kind, name, reason }) => [kind, name, reason]));
  }
  const [thrown, caught] = outcomes;
  assert.deepEqual(caught, thrown);
  return thrown;
}

test("the control of the next four: without what is not declared, all of it is in force", async () => {
  const { report, installed, hooks } = await installAlone(full, registerAll);
  assert.deepEqual(
    [report.status, report.tools, report.hooks, report.background_tasks, report.provides_services],
    [
      "installed",
      ["Note"],
      [{ name: "watch", point: "pre_tool_call" }],
      [{ name: "sweep", state: "waiting" }],
      [{ id: "project:notes", version: "1.0.0" }],
    ],
  );
  assert.equal(installed.tools.length, 1);
  assert.deepEqual(
    hooks.at("pre_tool_call").map(({ band, owner, name }) => [band, owner, name]),
    [["feature", { id, mayAppend: false }, "watch"]],
  );
});

test("A2-37: a hook is declared with its name and its point, or it never reaches the Pod's hooks", async () => {
  const registered: readonly [keyof HookRegistrar, string, string][] = [
    ["onPromptSubmit", "watch", "on_prompt_submit"],
    ["preLlmRequest", "watch", "pre_llm_request"],
    ["preToolCall", "other", "pre_tool_call"],
    ["postToolCall", "watch", "post_tool_call"],
    ["onTurnEnd", "watch", "on_turn_end"],
    ["onAbort", "watch", "on_abort"],
  ];
  for (const [method, name, point] of registered) {
    assert.deepEqual(
      await refusedWith(({ hooks }) => hooks[method](name, (() => ({ action: "continue" })) as never)),
      [["hook", name, `The hook ${name} (${point}) is not declared in the descriptor of ${id}.`]],
    );
  }
});

test("a name that is no text is refused as any other, also when the module catches the error", async () => {
  const names: readonly unknown[] = [
    1n,
    Symbol("watch"),
    { toJSON: () => assert.fail("said as JSON") },
    { toString: () => assert.fail("said as a text") },
    "x".repeat(10_000_000),
  ];
  for (const name of names) {
    const uses: readonly ((context: Context, name: never) => unknown)[] = [
      ({ hooks }, each) => hooks.onAbort(each, () => ({ action: "observed" })),
      ({ tools }, each) => tools.register({ name: each, create: () => toolOf(declared("Note")) }),
      ({ backgroundTasks }, each) => backgroundTasks.register(each, async () => {}),
      ({ services }, each) => services.provide(each, each, { get: async () => 1 }),
      ({ services }, each) => services.require(each),
    ];
    for (const [index, use] of uses.entries()) {
      let thrown: unknown = null;
      const { report } = await installAlone(descriptorOf(id), (context) => {
        thrown = thrownBy(() => use(context, name as never));
      });
      assert.equal(report.status, "failed", `${typeof name} ${index}`);
      assert.equal(report.skipped.length, 1);
      assert.equal(Array.isArray(thrown) ? thrown[0] : thrown, "feature_invalid");
    }
  }
});

test("A2-38: a background task is declared, or its feature is not installed", async () => {
  assert.deepEqual(
    await refusedWith(({ backgroundTasks }) => backgroundTasks.register("other", async () => {})),
    [["background_task", "other", `The background task other is not declared in the descriptor of ${id}.`]],
  );
});

test("A2-39: a service is declared with its id and its version, or none of the feature is provided", async () => {
  const implementation = { get: async () => 1 };
  for (const [name, version] of [
    ["project:notes", "1.0.1"],
    ["project:other", "1.0.0"],
  ] as const) {
    assert.deepEqual(
      await refusedWith(({ services }) => services.provide(serviceId(name), version, implementation)),
      [["service", name, `The service ${name} ${version} is not declared in the descriptor of ${id}.`]],
    );
  }
});

test("what is no function, or is registered twice, fails the feature as well", async () => {
  const table: readonly [(context: Context) => void, string, string, string][] = [
    [
      ({ hooks }) => hooks.preToolCall("watch", 7 as never),
      "hook",
      "watch",
      `The hook watch (pre_tool_call) of ${id} is no function.`,
    ],
    [
      ({ hooks }) => hooks.preToolCall("watch", () => ({ action: "continue" })),
      "hook",
      "watch",
      `${id} registers the hook watch (pre_tool_call) twice.`,
    ],
    [
      ({ backgroundTasks }) => backgroundTasks.register("sweep", async () => {}),
      "background_task",
      "sweep",
      `The background task "sweep" of ${id} is registered twice.`,
    ],
    [
      ({ services }) => services.provide(serviceId("project:notes"), "1.0.0", { get: async () => 2 }),
      "service",
      "project:notes",
      `${id} provides the service project:notes, which ${id} provides already.`,
    ],
    [
      ({ services }) => services.require(serviceId("user:x")),
      "service",
      "user:x",
      `${id} asks for the service user:x, which its descriptor does not require.`,
    ],
    [
      ({ tools }) => tools.register(null as never),
      "tool",
      "",
      `A tool of ${id} is not registered as one: it has no name or no create()`,
    ],
  ];
  for (const [extra, kind, name, reason] of table)
    assert.deepEqual(await refusedWith(extra), [[kind, name, reason]]);
});

test("A2-54, F-11: what is declared and not registered is reported; where it is required the feature is not installed", async () => {
  const missing = ["tool", "hook", "background_task", "service"] as const;
  const names = {
    tool: "Note",
    hook: "watch (pre_tool_call)",
    background_task: "sweep",
    service: "project:notes",
  };
  const { report: without } = await installAlone(full, () => {});
  assert.equal(without.status, "degraded");
  assert.deepEqual(
    without.skipped,
    missing.map((kind) => ({
      kind,
      name: names[kind],
      reason: `${id} declares the ${kind.replace("_", " ")} ${names[kind]}, and does not register it.`,
    })),
  );
  const lists = {
    tool: "tools",
    hook: "hooks",
    background_task: "background_tasks",
    service: "provides_services",
  } as const;
  for (const kind of missing) {
    const list = full[lists[kind]].map((each) => ({ ...each, required: true }));
    const needed = { ...full, [lists[kind]]: list } as FeatureDescriptor;
    const { report } = await installAlone(needed, () => {});
    assert.deepEqual(
      [report.status, report.diagnostics.filter(({ severity }) => severity === "error")],
      [
        "failed",
        [
          {
            severity: "error",
            message: `${id} could not be installed: ${id} declares the ${kind.replace("_", " ")} ${names[kind]}, and does not register it.`,
          },
        ],
      ],
    );
    const { report: whole } = await installAlone(needed, registerAll);
    assert.equal(whole.status, "installed");
  }
});

test("a required tool whose authority is not granted fails its feature", async () => {
  const descriptor = descriptorOf(id, { tools: [declared("Note", { required: true })] });
  const { report } = await installAlone(descriptor, ({ tools }) =>
    tools.register({
      name: "Note",
      create: () => toolOf(declared("Note")),
      requires: [{ kind: "model_notification" }],
    }),
  );
  assert.deepEqual([report.status, report.tools], ["failed", []]);
});

test("a state is there exactly where it is declared, and keeps what it was when it was installed", async () => {
  const declaration = { domain: "notes", version: 1 };
  const state = { restore: () => {}, snapshot: (): number => 1 };
  const table: readonly [string, FeatureDescriptor["state"], unknown, string | null][] = [
    ["both", declaration, state, null],
    ["neither", null, undefined, null],
    ["not declared", null, state, `${id} brings a state that its descriptor does not declare.`],
    [
      "not there",
      declaration,
      undefined,
      `${id} declares a state and brings none with restore() and snapshot().`,
    ],
    [
      "no state",
      declaration,
      { restore: () => {} },
      `${id} declares a state and brings none with restore() and snapshot().`,
    ],
    ["telling", declaration, { ...state, describe: () => null }, null],
    [
      "told by a text",
      declaration,
      { ...state, describe: "all is well" },
      `${id} has a state whose describe is no function.`,
    ],
    ["showing", declaration, { ...state, panel: () => null }, null],
    ["shown by rows", declaration, { ...state, panel: [] }, `${id} has a state whose panel is no function.`],
  ];
  for (const [what, declares, brings, problem] of table) {
    const descriptor = descriptorOf(id, { state: declares });
    const module = {
      descriptor,
      install: () => {},
      ...(brings === undefined ? {} : { state: brings }),
    } as unknown as FeatureModule;
    const { installed } = await install([module]);
    const report = reportOf(installed.reports, id);
    assert.deepEqual(
      [what, report.status, report.diagnostics],
      problem === null
        ? [what, "installed", []]
        : [what, "failed", [{ severity: "error", message: `${id} could not be installed: ${problem}` }]],
    );
  }
  const { installed } = await install([
    { descriptor: descriptorOf(id, { state: declaration }), state, install: () => {} },
  ]);
  state.snapshot = () => 2;
  assert.deepEqual(installed.states.snapshot(), {
    states: { notes: { version: 1, value: 1 } },
    problems: [],
  });
});

test("a state domain belongs to one feature, and both are named", async () => {
  const state = { restore: () => {}, snapshot: () => 1 };
  const modules = ["project:a", "project:b"].map((each) => ({
    descriptor: descriptorOf(each, { state: { domain: "notes", version: 1 } }),
    state,
    install: () => {},
  }));
  const { installed } = await install(modules);
  assert.deepEqual(
    installed.reports.map(({ feature, status, skipped }) => [feature, status, skipped]),
    [
      ["project:a", "installed", []],
      [
        "project:b",
        "failed",
        [
          {
            kind: "state",
            name: "notes",
            reason: "The state domain notes of project:b is the domain of project:a.",
          },
        ],
      ],
    ],
  );
});

test("hooks are asked in the order of the modules, whatever the order in which services have them installed", async () => {
  const order: string[] = [];
  const hooked = (name: string, fields: Partial<FeatureDescriptor>) =>
    moduleOf(descriptorOf(name, { hooks: [{ name: "h", point: "on_abort" }], ...fields }), (context) => {
      order.push(name);
      context.hooks.onAbort("h", () => ({ action: "observed" }));
      if (fields.provides_services !== undefined) {
        context.services.provide(serviceId("user:s"), "1.0.0", { get: async () => 1 });
      }
    });
  const { hooks } = await install([
    hooked("project:consumer", { requires_services: [requires("user:s")] }),
    hooked("project:provider", { provides_services: [service("user:s")] }),
  ]);
  assert.deepEqual(order, ["project:provider", "project:consumer"]);
  assert.deepEqual(
    hooks.at("on_abort").map(({ owner }) => owner.id),
    ["project:consumer", "project:provider"],
  );
});

test("F-19: a feature's hooks may append when it ships with yoi, or was granted model_notification", async () => {
  const hooked = (name: string) =>
    moduleOf(
      descriptorOf(name, {
        hooks: [{ name: "h", point: "pre_llm_request" }],
        authorities: [{ authority: { kind: "model_notification" }, required: false, reason: "Tells." }],
      }),
      (context) => context.hooks.preLlmRequest("h", () => ({ action: "continue" })),
    );
  const { hooks } = await install(
    [hooked("builtin:a"), hooked("project:granted"), hooked("project:denied")],
    {
      host: {
        approvalOf: async (feature) => ({
          granted: feature === "project:granted" ? [{ kind: "model_notification" }] : [],
        }),
      },
    },
  );
  assert.deepEqual(
    hooks.at("pre_llm_request").map(({ owner }) => [owner.id, owner.mayAppend]),
    [
      ["builtin:a", true],
      ["project:granted", true],
      ["project:denied", false],
    ],
  );
});
