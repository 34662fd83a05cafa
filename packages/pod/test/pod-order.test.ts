/** How a Pod is put together: what is asked first, what is there before the model hears of it, and that features' tools are tools. */
import assert from "node:assert/strict";
import test from "node:test";
import { isKnown, type LogEntry } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import {
  effectTool,
  manifestOf,
  openSimulated,
  simulatedPod,
  simulatedStores,
  type SimulatedOptions,
  World,
} from "../../../test/support/simulated-pod.ts";
import { type FeatureHost, readActive } from "../src/index.ts";
import { declared, descriptorOf, toolOf } from "./feature/features.ts";

const say = [{ type: "text", text: "go" }] as const;
const scenario = `
steps:
  - tool_calls:
      - { name: Greet, arguments: { who: a } }
      - { name: Greet, arguments: { who: b } }
  - text: Done.
`;

function machine() {
  const host = memoryHost({ seed: 3 });
  const leases = new Map();
  return { host, leases, tools: [effectTool(new World(), host)], scenario };
}

async function entriesOf({
  host,
  leases,
}: Pick<SimulatedOptions, "host" | "leases">): Promise<readonly LogEntry[]> {
  return (await readActive(simulatedStores(host, leases), simulatedPod)).view.entries;
}

function greeter(trace: string[]): FeatureModule {
  const greet = declared("Greet");
  return {
    descriptor: descriptorOf("builtin:greeter", {
      tools: [greet],
      hooks: [
        { name: "watch", point: "pre_tool_call" },
        { name: "watch", point: "pre_llm_request" },
      ],
      background_tasks: [{ name: "wait", description: "For a test." }],
      state: { domain: "greeter", version: 1 },
    }),
    state: {
      restore: (records) => void trace.push(`state of ${records.length} results`),
      snapshot: () => null,
    },
    install: ({ tools, hooks, backgroundTasks }) => {
      trace.push("feature installed");
      tools.register({
        name: "Greet",
        create: () => {
          trace.push("tool made");
          return toolOf(greet, {
            execute: async ({ who }) => ({ summary: `hello ${String(who)}`, content: "x".repeat(100_000) }),
          });
        },
      });
      hooks.preToolCall("watch", ({ arguments: { who } }) => {
        trace.push(`hook of the feature: ${String(who)}`);
        return { action: "continue" };
      });
      hooks.preLlmRequest("watch", () => {
        trace.push("request");
        return { action: "continue" };
      });
      backgroundTasks.register("wait", async ({ signal }) => {
        trace.push("task begins");
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        trace.push("task ends");
      });
    },
  };
}

test("A2-64: policy, safety, features, tools, session and loop are joined in this order", async () => {
  const m = machine();
  const trace: string[] = [];
  const rule = { tool: "Greet", pattern: '*"b"*', action: "deny", origin: "test" } as const;
  const pod = await openSimulated({
    ...m,
    manifest: manifestOf({ permissions: { mode: "allow-in-scope", rules: [rule] } }),
    features: [greeter(trace)],
    recall: () => void trace.push("history is there"),
    committed: (entries) => trace.push(...entries.map(({ kind }) => kind)),
  });
  trace.push("open");
  const report = await pod.submit(say);
  assert.deepEqual(report.outcome, { kind: "finished", text: "Done." });
  trace.push("closing");
  await pod.close();
  assert.deepEqual(
    trace.filter((line) => !["assistant_item", "assistant_partial", "llm_usage", "turn_end"].includes(line)),
    [
      "feature installed",
      "tool made",
      "history is there",
      "state of 0 results",
      "task begins",
      "open",
      "invoke",
      "user_input",
      "request",
      "llm_request",
      // The second call is denied by the rule before the feature hears of it.
      "hook of the feature: a",
      "tool_started",
      "tool_result",
      "tool_result",
      "request",
      "llm_request",
      "run_completed",
      "closing",
      "task ends",
    ],
  );
  assert.deepEqual(
    report.denials.map(({ tool, kind }) => ({ tool, kind })),
    [{ tool: "Greet", kind: "denied" }],
  );
});

test("A2-65: the tools of features are on record and in the first request, before the model has said anything", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, features: [greeter([])] });
  assert.deepEqual(pod.snapshot.tools, ["Effect", "Greet", "SessionRead", "SessionSearch"]);
  await pod.submit(say);
  await pod.close();
  const entries = (await entriesOf(m)).filter(isKnown);
  const changed = entries.find((entry) => entry.kind === "tools_changed");
  const request = entries.find((entry) => entry.kind === "llm_request");
  assert.deepEqual(
    changed?.tools.map(({ name }) => name),
    ["Effect", "Greet", "SessionRead", "SessionSearch"],
  );
  assert.ok(changed !== undefined && request !== undefined && changed.seq < request.seq);
  assert.equal(request.tools, changed.digest);
});

test("A2-09: a call of a feature's tool is a call: judged, on record, bounded, and seen by the model as a result", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, features: [greeter([])] });
  await pod.submit(say);
  await pod.close();
  const entries = (await entriesOf(m)).filter(isKnown);
  const started = entries.filter((entry) => entry.kind === "tool_started").map(({ call }) => call);
  const results = entries.flatMap((entry) => (entry.kind === "tool_result" ? [entry.item] : []));
  assert.deepEqual(
    results.map(({ call, name, summary, is_error, content }) => ({
      call,
      name,
      summary,
      is_error,
      within: (content?.length ?? 0) <= 64 * 1024 && (content?.length ?? 0) > 60 * 1024,
    })),
    started.map((call, index) => ({
      call,
      name: "Greet",
      summary: `hello ${"ab"[index]}`,
      is_error: false,
      within: true,
    })),
  );
});

test("A2-52, F-12: what became of the features is in the log once, and again only when it changed", async () => {
  const m = machine();
  const recordsOf = async () =>
    (await entriesOf(m)).flatMap((entry) =>
      isKnown(entry) && entry.kind === "extension" ? [entry.payload] : [],
    );
  const failing = (message: string): FeatureModule => ({
    descriptor: descriptorOf("builtin:broken"),
    install: () => {
      throw new Error(message);
    },
  });
  const open = async (features: readonly FeatureModule[], host: Partial<FeatureHost> = {}) => {
    const alerts: string[] = [];
    const pod = await openSimulated({
      ...m,
      features,
      featureHost: host,
      observer: (event) => void (event.type === "alert" && alerts.push(event.alert.message)),
    });
    const { alerts: kept, features: reports } = pod;
    await pod.close();
    assert.deepEqual(
      kept.map(({ message }) => message),
      alerts,
    );
    return { alerts, statuses: reports.map(({ status }) => status) };
  };
  assert.deepEqual(await open([greeter([])]), { alerts: [], statuses: ["installed"] });
  assert.deepEqual(await open([greeter([])]), { alerts: [], statuses: ["installed"] });
  assert.equal((await recordsOf()).length, 1);
  const broken = await open([greeter([]), failing("no such thing")]);
  assert.deepEqual(broken.statuses, ["installed", "failed"]);
  assert.match(broken.alerts.join("\n"), /not installed.*no such thing/);
  const records = await recordsOf();
  assert.equal(records.length, 2);
  assert.match(JSON.stringify(records[1]), /"feature":"builtin:broken".*"status":"failed"/);
});
