/** The tasks as a person sees them beside the conversation. */
import { type Panel, type PanelMark, type PanelRow, panelRowsMax, panelTextCharsMax } from "@yoi/base";
import { shownLine } from "../shown-line.ts";
import { isActive, type Task } from "./task.ts";

const marks: Readonly<Record<Exclude<Task["status"], "deleted">, PanelMark>> = {
  pending: "todo",
  inprogress: "doing",
  completed: "done",
};

/** In the order of TaskList, without those that were deleted. Of more than a panel has rows the oldest that are over go first, then the newest. Null: there are none. */
export function taskPanel(tasks: readonly Task[]): Omit<Panel, "feature"> | null {
  const shown = tasks.flatMap(({ status, ...task }) => (status === "deleted" ? [] : [{ ...task, status }]));
  if (shown.length === 0) return null;
  const done = shown.filter(({ status }) => status === "completed").length;
  const over = shown.length - panelRowsMax;
  let leavable = over <= 0 ? 0 : Math.min(done, over + 1);
  const kept = shown.filter((task) => isActive(task) || (leavable -= 1) < 0);
  const listed = over <= 0 ? kept : kept.slice(0, panelRowsMax - 1);
  const rows = listed.map(({ status, subject }): PanelRow => ({
    mark: marks[status],
    text: shownLine(subject, panelTextCharsMax),
  }));
  return {
    title: `Tasks ${done} of ${shown.length} done`,
    rows:
      over <= 0
        ? rows
        : [...rows, { mark: "note", text: `${shown.length - rows.length} more: TaskList has all` }],
  };
}
