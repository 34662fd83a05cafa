/** TaskReminder: tells the model of open tasks that it has not touched for long. Two hooks over the store that the tools write. */
import type { AppendReceipt, Hook } from "@yoi/feature";
import type { TaskStore } from "./task-store.ts";
import { lineOf } from "./task-text.ts";
import type { Task } from "./task.ts";

/** Requests since a task was last created or changed. */
export const inactiveRequestsMin = 24;
/** Requests since the last reminder. */
export const cooldownRequests = 24;
export const remindedTasksMax = 20;

/** It counts from the start of the process, or from the moment at which history last went back: nothing of it is kept. */
export class TaskReminder {
  readonly #store: TaskStore;
  #sinceManagement = 0;
  #sinceReminder = cooldownRequests;
  /** Of the last reminder, until it is known what became of it. */
  #receipt: AppendReceipt | null = null;

  constructor(store: TaskStore) {
    this.#store = store;
  }

  readonly beforeRequest: Hook<"pre_llm_request"> = ({ systemItems }) => {
    // Given is what the log has: a reminder that was dropped, because the request was not made, is due again now.
    if (this.#receipt?.state === "committed") this.#sinceReminder = 0;
    this.#receipt = null;
    const active = this.#store.active();
    if (active.length === 0) return { action: "continue" };
    this.#sinceManagement += 1;
    this.#sinceReminder += 1;
    if (this.#sinceManagement >= inactiveRequestsMin && this.#sinceReminder >= cooldownRequests) {
      this.#receipt = systemItems?.appendTaskReminder(reminderOf(active)) ?? null;
    }
    return { action: "continue" };
  };

  /** Asked after the host's own rules: a call that they deny is no management. */
  readonly beforeToolCall: Hook<"pre_tool_call"> = ({ toolName }) => {
    if (toolName === "TaskCreate" || toolName === "TaskUpdate") this.#sinceManagement = 0;
    return { action: "continue" };
  };

  /** As after a restart. */
  reset(): void {
    this.#sinceManagement = 0;
    this.#sinceReminder = cooldownRequests;
    this.#receipt = null;
  }
}

/** Below the host's bound on a body whatever the subjects are. */
export function reminderOf(active: readonly Task[]): string {
  const more = active.length - remindedTasksMax;
  return [
    "Tasks of this session are still open. If one of them has moved, say so with TaskUpdate; otherwise go on.",
    ...active.slice(0, remindedTasksMax).map((task) => `- ${lineOf(task)}`),
    ...(more > 0 ? [`- and ${more} more, which TaskList shows`] : []),
  ].join("\n");
}
