/** A simulated Pod whose user gives inputs for later, and what can be seen of them. */
import { partText } from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import { openParts, type Parts, type PartsOptions, spoken } from "../../../../test/inbox/parts.ts";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";

export const steps = (...all: readonly object[]): string => JSON.stringify({ steps: all });
export const answers = (...texts: readonly string[]): string =>
  steps(...texts.map((text) => ({ text, delay_ms: 100 })));
export const call = { tool_calls: [{ name: "Effect", arguments: { what: "a" } }], delay_ms: 100 };

/** It begins runs by itself, unless `more` says otherwise. */
export async function opened(
  scenario: string,
  more: (host: MemoryHost) => Partial<PartsOptions> = () => ({}),
) {
  const host = memoryHost({ seed: 2 });
  const tools = [effectTool(new World(), host)];
  const options: PartsOptions = {
    host,
    leases: new Map(),
    scenario,
    tools,
    beginsOwnRuns: true,
    ...more(host),
  };
  return { host, options, parts: await openParts(options) };
}

/** What waits, in order, and whether for the user. */
export function waiting({ gate }: Parts): readonly (string | undefined)[] {
  const { queue, queueHeld } = gate.state;
  const texts = queue.map(({ parts: [first] }) => (first === undefined ? first : partText(first)));
  return queueHeld ? [...texts, "(held)"] : texts;
}

/** What history says behind the first `count` lines. */
export function since({ gate }: Parts, count: number): readonly string[] {
  return spoken(gate.state).slice(count);
}
