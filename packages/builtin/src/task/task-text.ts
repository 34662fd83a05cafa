/** Tasks as text: the lines that the model and people read. Programs parse the overview and the JSON, so their forms do not change. */
import { type JsonObject, utf8Length } from "@yoi/base";
import { shownLine } from "../shown-line.ts";
import { isActive, type Task, taskJson, taskStatuses } from "./task.ts";

/** UTF-16 units of a subject in a line. */
export const shownSubjectCharsMax = 200;
/** UTF-16 units of a description in a line. */
export const shownTextCharsMax = 400;
/** The list behind a change, as JSON: every change leaves one in the context. */
export const changeListBytesMax = 4 * 1024;
/** What TaskList shows, overview and fence included. */
export const listingBytesMax = 32 * 1024;

/** `Tasks: 3 total, 1 pending, 1 inprogress, 1 completed, 0 deleted` */
export function overviewOf(tasks: readonly Task[]): string {
  const counts = taskStatuses.map(
    (status) => `${tasks.filter((task) => task.status === status).length} ${status}`,
  );
  return `Tasks: ${tasks.length} total, ${counts.join(", ")}`;
}

/** `taskid 3 (pending) Write the parser` */
export function lineOf({ taskid, status, subject }: Task): string {
  return `taskid ${taskid} (${status}) ${shownLine(subject, shownSubjectCharsMax)}`;
}

export function prettyTask(task: Task): string {
  return pretty(taskJson(task));
}

/**
 * What a call that changed `task` tells: the task, and all of them as they are now. Where those are too much, `tasks` are the open ones without their
 * descriptions, newest first as room allows, and `left_out` says how many are not among them.
 */
export function prettyChange(task: Task, tasks: readonly Task[]): string {
  const open = tasks.filter(isActive).toReversed();
  const brief = open.map(({ taskid, status, subject }) => ({ taskid, status, subject }));
  const fits = (list: object) => utf8Length(pretty(list)) <= changeListBytesMax;
  return pretty({ task: taskJson(task), snapshot: asManyAsFit(tasks, brief, fits) });
}

export interface Listing {
  readonly summary: string;
  readonly content: string;
}

/**
 * The overview, a blank line, and all tasks in a fenced block: no line of JSON can end the fence. Where those are too much, the block has the open ones
 * first and then the others, as room allows; the summary and `left_out` say how many are not in it.
 */
export function listing(tasks: readonly Task[]): Listing {
  const overview = overviewOf(tasks);
  const contentOf = (list: object) => `${overview}\n\n\`\`\`json\n${pretty(list)}\n\`\`\``;
  const openFirst = [...tasks.filter(isActive), ...tasks.filter((task) => !isActive(task))];
  const list = asManyAsFit(
    tasks,
    openFirst.map(taskJson),
    (some) => utf8Length(contentOf(some)) <= listingBytesMax,
  );
  const more = list.left_out ?? 0;
  const sentence = `${more} more ${more === 1 ? "is" : "are"} left out of the list: TaskGet shows each by its id.`;
  return { summary: more === 0 ? overview : `${overview}\n${sentence}`, content: contentOf(list) };
}

/**
 * The open tasks with their descriptions, those at work first, for a model that no longer sees the calls that made them; then the others as counts. Where that is too
 * much, descriptions are left out, and then the newest of the waiting ones. Null: there are none, and never were.
 */
export function describeTasks(tasks: readonly Task[], bytesMax: number): string | null {
  if (tasks.length === 0) return null;
  const active = tasks.filter(isActive);
  const open = [
    ...active.filter(({ status }) => status === "inprogress"),
    ...active.filter(({ status }) => status === "pending"),
  ];
  const head = `${overviewOf(tasks)}. TaskGet shows one whole, TaskList all.`;
  const withText = (task: Task) =>
    task.description === ""
      ? lineOf(task)
      : `${lineOf(task)}\n  ${shownLine(task.description, shownTextCharsMax)}`;
  for (const lines of [open.map(withText), open.map(lineOf)]) {
    const whole = [head, ...lines].join("\n");
    if (utf8Length(whole) <= bytesMax) return whole;
  }
  const lines = open.map(lineOf);
  const shown = (count: number) =>
    [head, ...lines.slice(0, count), `(${lines.length - count} more open ones: TaskList shows them)`].join(
      "\n",
    );
  let count = lines.length - 1;
  while (count > 0 && utf8Length(shown(count)) > bytesMax) count -= 1;
  return shown(count);
}

interface TaskList {
  readonly tasks: readonly JsonObject[];
  readonly left_out?: number;
}

/** All of `tasks` where that fits; else as many of `instead`, from its first on, as do. */
function asManyAsFit(
  tasks: readonly Task[],
  instead: readonly JsonObject[],
  fits: (list: TaskList) => boolean,
): TaskList {
  const whole = { tasks: tasks.map(taskJson) };
  if (fits(whole)) return whole;
  const first = (count: number): TaskList => ({
    tasks: instead.slice(0, count),
    left_out: tasks.length - Math.min(count, instead.length),
  });
  let count = 0;
  while (count < instead.length && fits(first(count + 1))) count += 1;
  return first(count);
}

function pretty(value: object): string {
  return JSON.stringify(value, null, 2);
}
