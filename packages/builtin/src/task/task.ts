/** Task: one entry of the session's list, what it may hold, and how a value from elsewhere is told to be one. */
import { isJsonObject, type JsonObject, utf8Length } from "@yoi/base";

export const taskStatuses = ["pending", "inprogress", "completed", "deleted"] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** As the model sees it, and as it is kept. Frozen. */
export interface Task {
  /** From 1, in order of creation; never given twice in a session. */
  readonly taskid: number;
  readonly status: TaskStatus;
  readonly subject: string;
  readonly description: string;
}

/** Code points. */
export const subjectCharsMax = 500;
/** As JSON, where a newline or a quote counts twice: the record of a call, which holds one task, then always fits. */
export const descriptionBytesMax = 8 * 1024;
/** Deleted ones stay in the list and count. */
export const tasksMax = 1_000;
/** All tasks as JSON, so that the whole list always fits into a snapshot. */
export const tasksBytesMax = 255 * 1024;

/** The most that the JSON of a task takes beside its texts: a status can change whatever the room. */
const fieldBytesMax = `{"taskid":${tasksMax},"status":"inprogress","subject":"","description":""},`.length;

export function taskBytes({ subject, description }: Pick<Task, "subject" | "description">): number {
  return fieldBytesMax + jsonTextBytes(subject) + jsonTextBytes(description);
}

/** Bytes of a text as JSON, without its quotes. */
export function jsonTextBytes(text: string): number {
  return utf8Length(JSON.stringify(text)) - 2;
}

export function isTaskStatus(value: unknown): value is TaskStatus {
  return taskStatuses.some((status) => status === value);
}

export function isActive({ status }: Task): boolean {
  return status === "pending" || status === "inprogress";
}

/** The task that a JSON value is, with no other field; null when it is none. */
export function taskOf(value: unknown): Task | null {
  if (!isJsonObject(value)) return null;
  const { taskid, status, subject, description } = value;
  if (typeof taskid !== "number" || !Number.isSafeInteger(taskid) || taskid < 1) return null;
  if (!isTaskStatus(status) || typeof subject !== "string" || typeof description !== "string") return null;
  return Object.freeze({ taskid, status, subject, description });
}

export function taskJson({ taskid, status, subject, description }: Task): JsonObject {
  return { taskid, status, subject, description };
}
