/** What features cost: a step of a Pod with features and their hooks against one without any, and installing many. In this process, on a disk in memory. */
import type { Tool } from "@yoi/base";
import { type FeatureModule, featureId, toolContribution } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { openSimulated } from "../test/support/simulated-pod.ts";
import { summary, type Summary } from "./summary.ts";

export interface FeatureOptions {
  /** Of each run. */
  readonly steps: number;
  /** In a Pod that runs, each with two hooks that every step asks. */
  readonly features: number;
  /** In a Pod that is only opened, each with two tools and two hooks. */
  readonly installed: number;
  readonly runs: number;
}

export interface FeatureResults {
  readonly features: number;
  readonly installed: number;
  readonly stepMs: { readonly without: Summary; readonly with: Summary };
  /** Opening a Pod with that many, without the time that one without any takes. */
  readonly installMs: Summary;
}

const nothing: Tool = {
  definition: {
    name: "Nothing",
    description: "Does nothing.",
    input_schema: { type: "object", properties: {} },
  },
  readOnly: true,
  execute: async () => ({ summary: "nothing" }),
};

/** Half of the hooks answer at once, half by a promise. */
function feature(index: number): FeatureModule {
  const isAsync = index % 2 === 1;
  const tools = ["A", "B"].map((letter): Tool => {
    const definition = { ...nothing.definition, name: `Tool${index}${letter}` };
    return { ...nothing, definition };
  });
  return {
    descriptor: {
      id: featureId(`builtin:bench-${index}`),
      runtime: "builtin",
      display_name: `Bench ${index}`,
      version: "1.0.0",
      description: "For the bench.",
      authorities: [],
      tools: tools.map(({ definition, readOnly }) => ({ ...definition, read_only: readOnly })),
      hooks: [
        { name: "before-request", point: "pre_llm_request" },
        { name: "before-call", point: "pre_tool_call" },
      ],
      background_tasks: [],
      provides_services: [],
      requires_services: [],
      state: null,
    },
    install: (context) => {
      for (const tool of tools) context.tools.register(toolContribution(tool));
      const answer = { action: "continue" } as const;
      context.hooks.preLlmRequest("before-request", isAsync ? async () => answer : () => answer);
      context.hooks.preToolCall("before-call", isAsync ? async () => answer : () => answer);
    },
  };
}

const some = (count: number) => Array.from({ length: count }, (_, index) => feature(index));

async function stepMs(steps: number, features: readonly FeatureModule[]): Promise<number> {
  const call = "  - tool_calls: [{ name: Nothing, arguments: {} }]\n";
  const pod = await openSimulated({
    host: memoryHost({ seed: 1 }),
    leases: new Map(),
    tools: [nothing],
    features,
    scenario: `steps:\n${call.repeat(steps)}  - text: Done.\n`,
  });
  const start = performance.now();
  const { outcome } = await pod.submit([{ type: "text", text: "go" }]);
  const took = performance.now() - start;
  await pod.close();
  if (outcome.kind !== "finished") throw new Error(`the run ended as ${outcome.kind}`);
  return took / steps;
}

async function openMs(features: readonly FeatureModule[]): Promise<number> {
  const start = performance.now();
  const pod = await openSimulated({
    host: memoryHost({ seed: 1 }),
    leases: new Map(),
    tools: [nothing],
    features,
    scenario: "steps: []\n",
  });
  const took = performance.now() - start;
  const out = pod.features.filter(({ status }) => status !== "installed");
  await pod.close();
  if (out.length > 0) throw new Error(`${out.length} features were not installed`);
  return took;
}

/** The first round warms up and does not count. */
export async function measureFeatures(options: FeatureOptions): Promise<FeatureResults> {
  const { steps, features, installed, runs } = options;
  const without: number[] = [];
  const loaded: number[] = [];
  const installs: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const bare = await stepMs(steps, []);
    const full = await stepMs(steps, some(features));
    const install = (await openMs(some(installed))) - (await openMs([]));
    if (run === 0) continue;
    without.push(bare);
    loaded.push(full);
    installs.push(install);
  }
  return {
    features,
    installed,
    stepMs: { without: summary(without), with: summary(loaded) },
    installMs: summary(installs),
  };
}
