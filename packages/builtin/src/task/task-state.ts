/** The state of the Task feature: the store, rebuilt from what its tools really did, never from what was asked of them or said about them. */
import { isJsonObject, YoiError } from "@yoi/base";
import {
  describedBytesMax,
  type FeatureState,
  type StateDeclaration,
  type StateSnapshot,
  type ToolRecord,
} from "@yoi/feature";
import { taskPanel } from "./task-panel.ts";
import { describeTasks } from "./task-text.ts";
import type { TaskReminder } from "./task-reminder.ts";
import type { TaskStore } from "./task-store.ts";
import { type Task, taskJson, taskOf } from "./task.ts";

export const taskStateDeclaration: StateDeclaration = Object.freeze({ domain: "yoi.tasks", version: 1 });

export function taskState(store: TaskStore, reminder: TaskReminder): FeatureState {
  return {
    restore: (records, snapshot) => {
      const { tasks, nextId } = tasksOf(snapshot);
      store.replace([...tasks, ...records.flatMap(taskOfRecord)], nextId);
      reminder.reset();
    },
    snapshot: () => ({ tasks: store.list().map(taskJson), next_id: store.nextId }),
    describe: () => describeTasks(store.list(), describedBytesMax),
    panel: () => taskPanel(store.list()),
  };
}

/** The task as a call left it; none where the call failed, or only read. */
function taskOfRecord({ isError, record }: ToolRecord): readonly Task[] {
  const task = isError ? null : taskOf(record?.["task"]);
  return task === null ? [] : [task];
}

/** Throws schema_newer, or log_damaged for what no version of this feature wrote. */
function tasksOf(snapshot: StateSnapshot | null): {
  readonly tasks: readonly Task[];
  readonly nextId: number;
} {
  if (snapshot === null) return { tasks: [], nextId: 1 };
  const { version, value } = snapshot;
  if (version > taskStateDeclaration.version) {
    throw new YoiError(
      "schema_newer",
      `The tasks of this session were written in format ${version}, and this yoi reads ${taskStateDeclaration.version}: use the newer yoi that wrote them.`,
    );
  }
  const { tasks, next_id: nextId } = isJsonObject(value) ? value : {};
  const read = Array.isArray(tasks) ? tasks.map(taskOf) : [null];
  const whole = read.filter((task) => task !== null);
  if (
    version === taskStateDeclaration.version &&
    whole.length === read.length &&
    typeof nextId === "number" &&
    Number.isSafeInteger(nextId) &&
    nextId >= 1 &&
    whole.every((task) => task.taskid < nextId)
  ) {
    return { tasks: whole, nextId };
  }
  throw new YoiError("log_damaged", "The snapshot of this session's tasks is not one that a yoi wrote.");
}
