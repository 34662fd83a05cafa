/** A session that comes to a reminder: two tasks, then as many requests without a change as it takes, then a third task. */
import type { Entry, Item, LogEntry } from "@yoi/base";
import { isKnown } from "@yoi/base";

/** The request, from 1, that shows the reminder: the first one that knows of tasks is the second. */
export const remindedRequest = 25;

const create = (subject: string) => ({
  name: "TaskCreate",
  arguments: { subject, description: `About ${subject}.` },
});

/** YAML. `delayMs`: how long the answer to the request that shows the reminder takes to begin. */
export function scenario({ delayMs = 0 }: { readonly delayMs?: number } = {}): string {
  const quiet = Array.from({ length: remindedRequest - 2 }, () => ({
    tool_calls: [{ name: "TaskGet", arguments: { taskid: 1 } }],
  }));
  return JSON.stringify({
    steps: [
      { tool_calls: [create("Read"), create("Write")] },
      ...quiet,
      { delay_ms: delayMs, tool_calls: [create("Check")] },
      { text: "All three are there." },
      { tool_calls: [{ name: "TaskUpdate", arguments: { taskid: 3, status: "completed" } }, create("Rest")] },
      { text: "One is done." },
    ],
  });
}

export const reminder = [
  "Tasks of this session are still open. If one of them has moved, say so with TaskUpdate; otherwise go on.",
  "- taskid 1 (pending) Read",
  "- taskid 2 (pending) Write",
].join("\n");

export function reminders<E extends { readonly kind: string; readonly item?: unknown }>(
  log: readonly E[],
): readonly E[] {
  return log.filter(
    ({ kind, item }) => kind === "system_item" && (item as { kind?: string }).kind === "task_reminder",
  );
}

/** The log as lines for a person: what happened, in order. Ids, times and digests are left out. */
export function transcript(log: readonly LogEntry[]): string {
  return log
    .map((entry) => `${String(entry.seq).padStart(3)} ${isKnown(entry) ? lineOf(entry) : entry.kind}\n`)
    .join("");
}

function lineOf(entry: Entry): string {
  switch (entry.kind) {
    case "segment_start":
      return `segment_start states ${JSON.stringify(entry.states)}`;
    case "tools_changed":
      return `tools_changed ${entry.tools.map(({ name }) => name).join(" ")}`;
    case "extension":
      return `extension ${entry.domain}`;
    case "user_input":
      return `user_input ${JSON.stringify(entry.parts)}`;
    case "assistant_item":
    case "tool_result":
    case "system_item":
      return `${entry.kind} ${itemLine(entry.item)}`;
    case "tool_started":
      return `tool_started ${entry.call}`;
    case "llm_request":
      return `llm_request through ${entry.through}, ${entry.items} items`;
    default:
      return entry.kind;
  }
}

function itemLine(item: Item): string {
  switch (item.type) {
    case "tool_call":
      return `${item.call} ${item.name} ${item.arguments}`;
    case "tool_result":
      return `${item.call} ${JSON.stringify({ summary: item.summary, record: item.record })}`;
    case "system_item":
      return `${item.kind} from ${item.source} (${item.reason}) ${JSON.stringify(item.body)}`;
    case "assistant_message":
      return JSON.stringify(item.text);
    default:
      return item.type;
  }
}
