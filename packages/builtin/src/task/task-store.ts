/** TaskStore: the tasks of one session. One object for as long as the feature lives; tools, hooks and state share it. */
import { YoiError } from "@yoi/base";
import { isActive, type Task, taskBytes, tasksBytesMax, tasksMax } from "./task.ts";

export type TaskChange = Partial<Pick<Task, "status" | "subject" | "description">>;

export class TaskStore {
  readonly #tasks = new Map<number, Task>();
  #nextId = 1;

  /** Throws limit_exceeded; nothing has changed then. */
  create(subject: string, description: string): Task {
    if (this.#tasks.size >= tasksMax) {
      throw new YoiError(
        "limit_exceeded",
        `There are ${tasksMax} tasks, which is all that a session keeps: change one that is over with TaskUpdate instead.`,
      );
    }
    this.#requireRoom(taskBytes({ subject, description }));
    const task: Task = Object.freeze({ taskid: this.#nextId, status: "pending", subject, description });
    this.#keep(task);
    return task;
  }

  /** Any status may follow any. Throws usage for an id that nobody has, limit_exceeded; nothing has changed then. */
  update(taskid: number, change: TaskChange): Task {
    const before = this.get(taskid);
    const task: Task = Object.freeze({ ...before, ...change });
    const growth = taskBytes(task) - taskBytes(before);
    if (growth > 0) this.#requireRoom(growth);
    this.#keep(task);
    return task;
  }

  /** Throws usage for an id that nobody has. */
  get(taskid: number): Task {
    const task = this.#tasks.get(taskid);
    if (task !== undefined) return task;
    throw new YoiError("usage", `There is no task ${taskid}: TaskList shows the tasks that there are.`);
  }

  /** All, deleted ones too, in order of creation. */
  list(): readonly Task[] {
    // Calls of one answer may be on record in another order than that in which they got their ids.
    return [...this.#tasks.values()].sort((a, b) => a.taskid - b.taskid);
  }

  active(): readonly Task[] {
    return this.list().filter(isActive);
  }

  get nextId(): number {
    return this.#nextId;
  }

  /** Forgets all and holds `tasks`, of which a later one replaces an earlier one of the same id. */
  replace(tasks: readonly Task[], nextId: number): void {
    this.#tasks.clear();
    this.#nextId = nextId;
    for (const task of tasks) this.#keep(task);
  }

  #keep(task: Task): void {
    this.#tasks.set(task.taskid, task);
    this.#nextId = Math.max(this.#nextId, task.taskid + 1);
  }

  #requireRoom(more: number): void {
    const bytes = this.list().reduce((sum, task) => sum + taskBytes(task), more);
    if (bytes <= tasksBytesMax) return;
    throw new YoiError(
      "limit_exceeded",
      `The texts of all tasks would be ${bytes} bytes, and a session keeps ${tasksBytesMax}: write less, or shorten descriptions of tasks that are over with TaskUpdate.`,
    );
  }
}
