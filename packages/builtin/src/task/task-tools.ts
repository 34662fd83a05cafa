/** The four Task tools, over one store. A call does all that it does before its first await, so ids follow the order of calls. */
import type { JsonObject, Tool, ToolOutput } from "@yoi/base";
import { createSchema, getSchema, listSchema, TaskArguments, updateSchema } from "./task-arguments.ts";
import type { TaskStore } from "./task-store.ts";
import { lineOf, listing, overviewOf, prettyChange, prettyTask } from "./task-text.ts";
import { type Task, taskJson } from "./task.ts";

/** In the order in which they are registered. */
export function taskTools(store: TaskStore): readonly Tool[] {
  return [createTool(store), listTool(store), getTool(store), updateTool(store)];
}

function createTool(store: TaskStore): Tool {
  return taskTool({
    name: "TaskCreate",
    description:
      "Adds a task to the list that the user sees while this session lasts. Use it when seeing progress helps the user: several things to " +
      "do at once, long edits, commands or investigations, work that may be interrupted. Do not make a task of every step or of a request " +
      "that is answered at once, and rather update a task that is there already than add one like it. The task gets its id and the status " +
      "pending by itself.",
    schema: createSchema,
    run: (args) => changed("created", store.create(args.subject(), args.description()), store),
  });
}

function listTool(store: TaskStore): Tool {
  return taskTool({
    name: "TaskList",
    description:
      "Shows the tasks of this session with id, status, subject and description, those that are completed or deleted too. When there are too " +
      "many for one answer, the open ones come first, and it says how many are left out.",
    schema: listSchema,
    run: () => ({ ...listing(store.list()) }),
  });
}

function getTool(store: TaskStore): Tool {
  return taskTool({
    name: "TaskGet",
    description: "Shows one task by its id. An id that no task has is an error.",
    schema: getSchema,
    run: (args) => {
      const task = store.get(args.taskid());
      return { summary: lineOf(task), content: prettyTask(task) };
    },
  });
}

function updateTool(store: TaskStore): Tool {
  return taskTool({
    name: "TaskUpdate",
    description:
      "Changes a task: its id, and at least one of status, subject and description. Use it between substantial steps, when something has " +
      "really moved, and not for every small one. To delete a task, set its status to deleted. When you are blocked, leave the task as it " +
      "is, say what blocks you, and end your turn.",
    schema: updateSchema,
    run: (args) => changed("updated", store.update(args.taskid(), args.change()), store),
  });
}

/** `record` is what a restored session takes the task from: unlike the content it is never cut, and no text can pass for it. */
function changed(verb: string, task: Task, store: TaskStore): ToolOutput {
  const tasks = store.list();
  return {
    summary: `${verb} task ${task.taskid} (${task.status})\n${overviewOf(tasks)}`,
    content: prettyChange(task, tasks),
    record: { task: taskJson(task) },
  };
}

interface TaskToolParts {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly run: (args: TaskArguments) => ToolOutput;
}

function taskTool({ name, description, schema, run }: TaskToolParts): Tool {
  return {
    definition: { name, description, input_schema: schema },
    // Tasks are part of the session: nothing outside it changes.
    readOnly: true,
    execute: async (args) => run(new TaskArguments(name, schema, args)),
  };
}
