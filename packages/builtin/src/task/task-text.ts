/** Tasks as text: the lines that the model and people read. Programs parse the overview and the JSON, so their forms do not change. */
import { escapeControls } from "@yoi/base";
import { type Task, taskJson, taskStatuses } from "./task.ts";

/** UTF-16 units of a subject in a line. */
export const shownSubjectCharsMax = 200;

/** `Tasks: 3 total, 1 pending, 1 inprogress, 1 completed, 0 deleted` */
export function overviewOf(tasks: readonly Task[]): string {
  const counts = taskStatuses.map(
    (status) => `${tasks.filter((task) => task.status === status).length} ${status}`,
  );
  return `Tasks: ${tasks.length} total, ${counts.join(", ")}`;
}

/** `taskid 3 (pending) Write the parser` */
export function lineOf({ taskid, status, subject }: Task): string {
  return `taskid ${taskid} (${status}) ${shownSubject(subject)}`;
}

export function prettyTask(task: Task): string {
  return pretty(taskJson(task));
}

/** What a call that changed `task` tells: the task, and all of them as they are now. */
export function prettyChange(task: Task, tasks: readonly Task[]): string {
  return pretty({ task: taskJson(task), snapshot: { tasks: tasks.map(taskJson) } });
}

/** The overview, a blank line, and all tasks in a fenced block: no line of JSON can end the fence. */
export function listing(tasks: readonly Task[]): string {
  const json = pretty({ tasks: tasks.map(taskJson) });
  return `${overviewOf(tasks)}\n\n\`\`\`json\n${json}\n\`\`\``;
}

/** On one line, of bounded length, and without the opening of a tag that the host uses for what it says itself. */
function shownSubject(subject: string): string {
  const line = escapeControls(subject).replace(hostTag, "&lt;");
  if (line.length <= shownSubjectCharsMax) return line;
  return `${line.slice(0, shownSubjectCharsMax - 1).replace(halfCharacter, "")}…`;
}

const hostTag = /<(?=[\s/]*(?:system-reminder|yoi-note))/gi;
const halfCharacter = /[\ud800-\udbff]$/;

function pretty(value: object): string {
  return JSON.stringify(value, null, 2);
}
