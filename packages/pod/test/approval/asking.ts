/** A Pod that asks before its effects, on a simulated machine: what it waits for, how it dies and comes back, and what came of it all. */
import assert from "node:assert/strict";
import { type Entry, isKnown, type LogEntry, type Tool } from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import type { PermissionRule } from "@yoi/manifest";
import type { PendingApproval } from "@yoi/protocol";
import {
  effectTool,
  manifestOf,
  openSimulated,
  type SimulatedOptions,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import { type Pod, readActive } from "../../src/index.ts";

export const settingsFile = "/c/config.toml";
export type Rule = PermissionRule["action"];
export const ruleOf = (action: Rule): PermissionRule => ({
  tool: "Effect",
  pattern: "*",
  action,
  origin: settingsFile,
});
export const wants = `the rule ask Effect(*) of ${settingsFile} wants a person to allow this`;

/** One step that makes these calls, then an answer. */
export function scenarioOf(...whats: readonly string[]): string {
  const tool_calls = whats.map((what) => ({ name: "Effect", arguments: { what } }));
  return JSON.stringify({ steps: [{ tool_calls }, ...Array.from({ length: 4 }, () => ({ text: "end" }))] });
}

export class Asking {
  host: MemoryHost = memoryHost({ seed: 5 });
  readonly leases = new Map();
  readonly world = new World();
  readonly scenario: string;
  readonly more: Partial<SimulatedOptions>;

  constructor(scenario: string, more: Partial<SimulatedOptions> = {}) {
    this.scenario = scenario;
    this.more = more;
  }

  get stores() {
    return simulatedStores(this.host, this.leases);
  }

  open(rule: Rule = "ask", more: Partial<SimulatedOptions> = {}): Promise<Pod> {
    const { host, leases, scenario } = this;
    const tools: readonly Tool[] = [effectTool(this.world, host)];
    const manifest = manifestOf({ permissions: { mode: "allow-in-scope", rules: [ruleOf(rule)] } });
    return openSimulated({ host, leases, scenario, tools, manifest, canAsk: true, ...this.more, ...more });
  }

  /** The process dies; the kernel keeps what it wrote. */
  kill(): void {
    this.host.crash("process");
    this.host = this.host.restart();
  }

  /** Opens a Pod, gives it an input, and waits until it asks. */
  async asked(more: Partial<SimulatedOptions> = {}) {
    const pod = await this.open("ask", more);
    const run = pod.submit([{ type: "text", text: "go" }]);
    // Of a process that died nobody hears.
    run.catch(() => {});
    await this.host.advance(0);
    await this.settled(() => pod.approvals.length > 0);
    return { pod, run };
  }

  async settled(isDone: () => boolean): Promise<void> {
    for (let turns = 0; !isDone(); turns += 1) {
      assert.ok(turns < 200, "it does not come to rest");
      await this.host.advance(1);
    }
  }

  async entries(): Promise<readonly LogEntry[]> {
    return (await readActive(this.stores, simulatedPod)).view.entries;
  }

  /** Entries of these kinds. */
  async entriesOf<K extends Entry["kind"]>(
    ...kinds: readonly K[]
  ): Promise<readonly Extract<Entry, { readonly kind: K }>[]> {
    const wanted: ReadonlySet<string> = new Set(kinds);
    return (await this.entries()).filter(
      (entry): entry is Extract<Entry, { readonly kind: K }> => isKnown(entry) && wanted.has(entry.kind),
    );
  }

  /** Summary and refusal of each result, by call. */
  async results(): Promise<readonly string[]> {
    const found = (await this.entriesOf("tool_result")).toSorted((a, b) =>
      a.item.call < b.item.call ? -1 : 1,
    );
    return found.map(
      ({ item: { summary, refusal } }) => `${refusal === undefined ? "" : `${refusal}: `}${summary}`,
    );
  }
}

export function only(pending: readonly PendingApproval[]): PendingApproval {
  const [first, ...others] = pending;
  assert.ok(first !== undefined && others.length === 0, `${pending.length} wait`);
  return first;
}

export const allow = (digest: string) => ({ digest, answer: "allow", reason: null }) as const;
export const deny = (digest: string, reason: string | null = "not today") =>
  ({ digest, answer: "deny", reason }) as const;

/** What the model is told, by the way it ended. */
export const told = {
  ran: "did a",
  userRefused: "denied: The user refused this call: not today. Nothing was done.",
  expired: `asked: Permission needed: ${wants}, and nobody allowed it within 24 hours. Nothing was done.`,
  ruleRefused: `denied: Refused by the rule deny Effect(*) of ${settingsFile}. Nothing was done.`,
  nobody: `asked: Permission needed: ${wants}, and nobody can be asked now. Nothing was done.`,
  notExecuted: "not executed",
} as const;
