/** A simulated Pod with tasks and a tool that has effects, whose session is taken back, forward and elsewhere. */
import assert from "node:assert/strict";
import { flattenInput, idOf, type Item, type LogEntry, type Tool } from "@yoi/base";
import { taskFeature } from "../../../builtin/src/index.ts";
import { memoryHost, type MemoryHost } from "../../../host/src/index.ts";
import type { LeaseTable } from "../../../pod-store/src/index.ts";
import { replay, type SegmentRef, type SessionState } from "../../../session-store/src/index.ts";
import { driven } from "../../../../test/pod-faults/life.ts";
import {
  dataDir,
  effectTool,
  openSimulated,
  type SimulatedOptions,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import type { Pod } from "../../src/index.ts";

const create = (subject: string) => ({ name: "TaskCreate", arguments: { subject, description: "D." } });
const effect = (what: string) => ({ name: "Effect", arguments: { what } });

/** Two inputs, each with one turn of calls and one of text. */
export const scenario = JSON.stringify({
  steps: [
    { tool_calls: [create("first"), effect("one")] },
    { text: "One is done." },
    { tool_calls: [create("second"), effect("two"), { name: "Look", arguments: {} }] },
    { text: "Two is done." },
    { text: "Three is done." },
  ],
});

const lookTool: Tool = {
  definition: { name: "Look", description: "Reads.", input_schema: { type: "object" } },
  readOnly: true,
  execute: async () => ({ summary: "seen" }),
};

export class Scene {
  host: MemoryHost;
  readonly leases: LeaseTable = new Map();
  readonly world = new World();
  readonly #more: Partial<SimulatedOptions>;

  constructor(more: Partial<SimulatedOptions> = {}, seed = 5) {
    this.host = memoryHost({ seed });
    this.#more = more;
  }

  get stores() {
    return simulatedStores(this.host, this.leases);
  }

  open(more: Partial<SimulatedOptions> = {}): Promise<Pod> {
    const { host, leases, world } = this;
    const tools = [effectTool(world, host), lookTool];
    const options = { host, leases, scenario, tools, features: [taskFeature()], ...this.#more, ...more };
    return this.driven(openSimulated(options));
  }

  driven<T>(work: Promise<T>): Promise<T> {
    return driven(this.host, work);
  }

  async say(pod: Pod, text: string): Promise<void> {
    const { outcome } = await this.driven(pod.submit([{ type: "text", text }]));
    assert.equal(outcome.kind, "finished");
  }

  async active(name = simulatedPod): Promise<SegmentRef> {
    const record = await this.driven(this.stores.pods.read(name));
    if (record?.pointer.state !== "active") throw new Error("the Pod has no segment");
    return { session: record.pointer.session, segment: record.pointer.segment };
  }

  async log(ref?: SegmentRef): Promise<readonly LogEntry[]> {
    const at = ref ?? (await this.active());
    return (await this.driven(this.stores.sessions.read(at))).entries;
  }

  async state(ref?: SegmentRef): Promise<SessionState> {
    return replay(await this.log(ref));
  }

  /** Whole log files, by their paths. */
  async files(): Promise<ReadonlyMap<string, string>> {
    const { files } = this.host;
    const found = new Map<string, string>();
    for (const session of await files.list(`${dataDir}/sessions`)) {
      for (const name of await files.list(`${dataDir}/sessions/${session}`)) {
        const path = `${dataDir}/sessions/${session}/${name}`;
        if (name.endsWith(".jsonl"))
          found.set(path, Buffer.from((await files.read(path)) ?? []).toString("utf8"));
      }
    }
    return found;
  }
}

/** What a model would see of the items, with their ids. */
export function said({ items }: Pick<SessionState, "items">): readonly string[] {
  return items.map((one) => `${idOf(one)} ${lineOf(one.item)}`);
}

function lineOf(item: Item): string {
  switch (item.type) {
    case "user_message":
      return `user: ${flattenInput(item.parts)}`;
    case "assistant_message":
      return `model: ${item.text}`;
    case "reasoning":
      return `thought: ${item.text}`;
    case "tool_call":
      return `call: ${item.name}`;
    case "tool_result":
      return `result: ${item.summary}`;
    case "system_item":
      return `${item.kind}: ${item.source}`;
  }
}
