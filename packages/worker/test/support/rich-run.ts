/** A run that passes through everything: drained and queued items, retries, a broken stream, parallel and exclusive calls, a denial, three answers. */
import type { SystemItem, Tool } from "@yoi/base";
import type { History, LoopPoints } from "../../src/index.ts";
import { tool } from "./bench-worker.ts";

export const richScenario = `
chunk: 6
steps:
  - reasoning: { text: let me think, metadata: { signature: s } }
    text: I will look.
    tool_calls:
      - { name: Look, arguments: { n: 1 } }
      - { name: Change, arguments: { n: 2 } }
      - { name: Change, arguments: { n: 3 } }
      - { name: Denied, arguments: { n: 4 } }
      - { name: Nothing, arguments: { n: 5 } }
  - attempts:
      - retries: [{ wait_ms: 100, failure: { kind: overloaded } }]
        pace_ms: 300
        text: half of the answer
        cut_after: 12
      - text: Now the other.
        tool_calls: [{ name: Change, arguments: { n: 6 } }]
  - text: All done.
  - text: Said again.
`;

/** Called at every step that somebody outside could see; awaited where the loop awaits it. */
export type Tick = (where: string) => Promise<void>;

export function richTools(tick: Tick, executed: (call: string) => void): Tool[] {
  const acting = (name: string, exclusive: boolean) =>
    tool(
      name,
      async (args, { call }) => {
        executed(call);
        await tick(`${name} begins`);
        await tick(`${name} ends`);
        return { summary: `${name} ${String(args["n"])}`, content: "detail" };
      },
      exclusive ? { claim: () => ({ path: "/file", mode: "exclusive" }) } : {},
    );
  return [acting("Look", false), acting("Change", true), acting("Denied", false)];
}

/** How often the news of `richPoints` is in history. */
export function newsIn({ items }: Pick<History, "items">): number {
  return items.filter(({ item }) => item.type === "system_item" && item.body === news).length;
}
const news = "first news";

/** One piece of news is handed out until it is in history. */
export function richPoints(tick: Tick, history: () => Pick<History, "items">): Partial<LoopPoints> {
  const note = (body: string): SystemItem => ({
    type: "system_item",
    kind: "notification",
    source: "host",
    body,
  });
  let queued = 0;
  return {
    drain: async () => {
      await tick("drain");
      return newsIn(history()) > 0 ? [] : [{ kind: "system_item", item: note(news) }];
    },
    preRequest: async () => {
      await tick("preRequest");
      queued += 1;
      return { action: "continue", queued: queued === 2 ? [note("reminder")] : [] };
    },
    gate: async ({ name }) => {
      await tick(`gate ${name}`);
      return name === "Denied"
        ? { action: "deny", reason: "not allowed", refusal: "denied" }
        : { action: "allow" };
    },
    afterResult: async ({ name }) => {
      await tick(`afterResult ${name}`);
      return { action: "continue" };
    },
    turnEnd: async () => {
      await tick("turnEnd");
      return { action: "finish" };
    },
  };
}
