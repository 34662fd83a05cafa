/** I7: what extension code is handed, walked from end to end in a real Pod. */
import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject, LogEntry, Tool, ToolContext } from "@yoi/base";
import {
  type AppendReceipt,
  authorityKinds,
  type FeatureInstallContext,
  type FeatureModule,
  hookPoints,
  type ServiceClient,
  serviceId,
  type ToolRecord,
} from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { openSimulated, simulatedPod, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { readActive } from "../../src/index.ts";
import { declared, descriptorOf, service, toolOf } from "../feature/features.ts";
import { faultsOf, reach } from "./reach.ts";

const scenario = `
steps:
  - tool_calls:
      - { name: Spy, arguments: { list: [{ deep: 1 }] } }
  - text: Done.
`;
const say = [{ type: "text", text: "go" }] as const;

/** Everything that a feature is handed, by what it is, as soon as it gets it. */
type Handed = Map<string, { readonly value: unknown; readonly seen: string }>;

function hold(handed: Handed, name: string, value: unknown): void {
  handed.set(name, { value, seen: JSON.stringify(value) ?? "" });
}

function provider(): FeatureModule {
  const offered = service("builtin:clock", { methods: ["read", "set"] });
  return {
    descriptor: descriptorOf("builtin:clocks", { provides_services: [offered] }),
    install: ({ services }) => {
      const secret = { inner: "of the provider" };
      services.provide(offered.id, offered.version, {
        read: async () => ({ at: 1, secret }),
        set: async () => undefined,
      });
    },
  };
}

/** A built-in that declares one of everything, and keeps whatever it gets. */
function spy(handed: Handed): FeatureModule {
  const tool = declared("Spy");
  const descriptor = descriptorOf("builtin:spy", {
    tools: [tool],
    hooks: hookPoints.map((point) => ({ name: point, point })),
    background_tasks: [{ name: "watch", description: "For a test." }],
    requires_services: [
      {
        id: serviceId("builtin:clock"),
        version: "^1.0.0",
        methods: ["read"],
        required: true,
        reason: "For a test.",
      },
    ],
    authorities: authorityKinds
      .filter((kind) => kind === "model_notification")
      .map((kind) => ({ authority: { kind }, required: true, reason: "For a test." })),
    state: { domain: "spy", version: 1 },
  });
  const behave = (context: FeatureInstallContext): void => {
    hold(handed, "install", context);
    const { hooks, services, tools, backgroundTasks } = context;
    const client: ServiceClient | null = services.require(serviceId("builtin:clock"));
    hold(handed, "service", client);
    const execute: Tool["execute"] = async (args: JsonObject, toolContext: ToolContext) => {
      hold(handed, "tool arguments", args);
      hold(handed, "tool context", toolContext);
      hold(handed, "service answer", await client?.call("read", {}));
      return { summary: "spied", record: { kept: [1] } };
    };
    tools.register({ name: "Spy", create: () => toolOf(tool, { execute }) });
    hooks.onPromptSubmit("on_prompt_submit", (c) => {
      hold(handed, "on_prompt_submit", c);
      return { action: "continue" };
    });
    hooks.preLlmRequest("pre_llm_request", (c) => {
      hold(handed, "pre_llm_request", c);
      const receipt: AppendReceipt | undefined = c.systemItems?.appendTaskReminder("remember");
      hold(handed, "receipt", receipt);
      return { action: "continue" };
    });
    hooks.preToolCall("pre_tool_call", (c) => {
      hold(handed, "pre_tool_call", c);
      return { action: "continue" };
    });
    hooks.postToolCall("post_tool_call", (c) => {
      hold(handed, "post_tool_call", c);
      return { action: "continue" };
    });
    hooks.onTurnEnd("on_turn_end", (c) => {
      hold(handed, "on_turn_end", c);
      return { action: "finish" };
    });
    hooks.onAbort("on_abort", (c) => {
      hold(handed, "on_abort", c);
      return { action: "observed" };
    });
    backgroundTasks.register("watch", async (task) => hold(handed, "background task", task));
  };
  return {
    descriptor,
    install: behave,
    state: {
      restore: (records: readonly ToolRecord[], snapshot) =>
        hold(handed, "state records", [records, snapshot]),
      snapshot: () => ({}),
    },
  };
}

async function everythingHanded(): Promise<{
  readonly handed: Handed;
  readonly entries: readonly LogEntry[];
}> {
  const host = memoryHost({ seed: 1 });
  const leases = new Map();
  const handed: Handed = new Map();
  const options = { host, leases, tools: [], scenario, features: [provider(), spy(handed)] };
  const first = await openSimulated(options);
  assert.deepEqual(
    first.features.map(({ status, skipped, diagnostics }) => ({ status, skipped, diagnostics })),
    options.features.map(() => ({ status: "installed", skipped: [], diagnostics: [] })),
  );
  const report = await first.submit(say);
  assert.deepEqual(report.outcome, { kind: "finished", text: "Done." });
  await first.close();
  // Again, so that there are records to restore from, and then a run that is aborted.
  const again = await openSimulated({ ...options, scenario: "steps: []" });
  assert.notEqual((await again.submit(say)).outcome.kind, "finished");
  await again.close();
  const { view } = await readActive(simulatedStores(host, leases), simulatedPod);
  return { handed, entries: view.entries };
}

const wanted = [
  "install",
  "service",
  "service answer",
  "tool arguments",
  "tool context",
  "receipt",
  "background task",
  "state records",
  ...hookPoints,
].sort();

test("A0-05, A0-29, A2-05, A2-14, F-15: everything that extension code can reach is frozen plain values and bare functions", async () => {
  const { handed } = await everythingHanded();
  assert.deepEqual([...handed.keys()].sort(), wanted);
  let objects = 0;
  for (const [name, { value }] of handed) {
    // The array around the two arguments of `restore` is the test's own.
    const roots = name === "state records" && Array.isArray(value) ? value : [value];
    for (const root of roots) {
      const reached = reach(root, name);
      objects += reached.length;
      assert.deepEqual(faultsOf(reached), [], name);
    }
  }
  assert.ok(objects > 60, `only ${objects} objects were walked`);
});

test("A2-60: no context is a view: what was handed out says the same after all that followed", async () => {
  const { handed } = await everythingHanded();
  for (const [name, { value, seen }] of handed) {
    // A receipt tells the state of its moment, which is what it is for.
    if (name !== "receipt") assert.equal(JSON.stringify(value) ?? "", seen, name);
  }
});

test("A0-10, A1-14, A2-15, A2-16: the surface is these names and no others: nothing takes events or payloads for a screen", async () => {
  const { handed } = await everythingHanded();
  const install = handed.get("install")?.value as FeatureInstallContext;
  const surface = Object.fromEntries(
    Object.entries(install).map(([name, value]) => [
      name,
      typeof value === "object" ? Object.keys(value).sort() : typeof value,
    ]),
  );
  assert.deepEqual(surface, {
    featureId: "string",
    grants: ["denied", "granted"],
    handles: ["fetch", "files", "pods", "secret", "state"],
    tools: ["register"],
    hooks: ["onAbort", "onPromptSubmit", "onTurnEnd", "postToolCall", "preLlmRequest", "preToolCall"],
    backgroundTasks: ["register"],
    services: ["provide", "require"],
    notifications: ["keepPosition", "notifyModel", "position"],
    alerts: ["alert"],
    diagnostics: ["error", "info", "warning"],
  });
  const keysOf = (name: string) => Object.keys(Object(handed.get(name)?.value)).sort();
  assert.deepEqual(Object.fromEntries(hookPoints.map((point) => [point, keysOf(point)])), {
    on_prompt_submit: ["inputText", "turnIndex"],
    pre_llm_request: ["info", "systemItems"],
    pre_tool_call: ["arguments", "callId", "readOnly", "toolName"],
    post_tool_call: ["callId", "isError", "output", "toolName"],
    on_turn_end: ["finalTextPreview", "toolCallsThisRun", "turnIndex"],
    on_abort: ["reason"],
  });
  assert.deepEqual(keysOf("background task"), ["signal"]);
  assert.deepEqual(keysOf("tool context"), ["call", "progress", "signal"]);
});

test("what is mutable, hidden, inherited or built by a class would be found (control)", () => {
  class Host {
    readonly inner = 1;
  }
  const hidden = Object.freeze(Object.defineProperty({}, "pod", { enumerable: false, value: new Map() }));
  const withField = Object.freeze(Object.assign(() => {}, { worker: [] }));
  const behindGetter = Object.freeze({
    get host() {
      return new Host();
    },
  });
  const inherited = Object.freeze(Object.create({ items: [] }));
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{}, /x is not frozen/],
    [hidden, /x\.pod is not frozen.*x\.pod is an instance/s],
    [withField, /x\.worker is not frozen/],
    [behindGetter, /x\.host is an instance/],
    [inherited, /x is an instance.*x\(prototype\)/s],
    [Object.freeze(Host), /x is a constructor/],
  ];
  for (const [planted, fault] of cases) assert.match(faultsOf(reach(planted, "x")).join("\n"), fault);
  assert.deepEqual(
    faultsOf(reach(Object.freeze({ a: Object.freeze([1]), f: Object.freeze(() => {}) }), "x")),
    [],
  );
});
