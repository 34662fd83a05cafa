/** Arguments of the Task tools: what the model is told it may send, and the check of what it sent. */
import { YoiError } from "@yoi/base";
import { objectOf, ToolArguments } from "../tool-arguments.ts";
import type { TaskChange } from "./task-store.ts";
import { descriptionBytesMax, isTaskStatus, jsonTextBytes, subjectCharsMax, taskStatuses } from "./task.ts";

const taskid = { type: "integer", minimum: 1, description: "The id of the task." };
const subject = "what is to be done, on one line.";
const description = "what belongs to it, such as its scope, how far it is, and how to tell that it is done.";

export const createSchema = objectOf(
  {
    subject: { type: "string", maxLength: subjectCharsMax, description: `The task in short: ${subject}` },
    description: { type: "string", description: `The rest: ${description}` },
  },
  ["subject", "description"],
);

/** A null stands for a field that is left out: some models send every field. */
export const updateSchema = objectOf(
  {
    taskid,
    status: {
      anyOf: [{ type: "string", enum: [...taskStatuses] }, { type: "null" }],
      description: "Where the task stands now.",
    },
    subject: { type: ["string", "null"], maxLength: subjectCharsMax, description: `New: ${subject}` },
    description: { type: ["string", "null"], description: `New: ${description}` },
  },
  ["taskid"],
);

export const getSchema = objectOf({ taskid }, ["taskid"]);

export const listSchema = objectOf({}, []);

/** The arguments of one call. Every method throws `usage` with a sentence that names the field. */
export class TaskArguments extends ToolArguments {
  taskid(): number {
    const value = this.value("taskid");
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
    return this.refuse("taskid", value === undefined ? "is missing" : "must be a whole number, 1 or more");
  }

  subject(): string {
    const text = this.text("subject");
    if (text.trim() === "") this.refuse("subject", "is empty: say in a line what is to be done");
    const chars = [...text].length;
    if (chars <= subjectCharsMax) return text;
    return this.refuse("subject", `has ${chars} characters: at most ${subjectCharsMax} are kept`);
  }

  description(): string {
    const text = this.text("description");
    const bytes = jsonTextBytes(text);
    if (bytes <= descriptionBytesMax) return text;
    return this.refuse("description", `is ${bytes} bytes as JSON: at most ${descriptionBytesMax} are kept`);
  }

  /** What is to change: at least one field. */
  change(): TaskChange {
    const change: TaskChange = {
      ...(this.isGiven("status") ? { status: this.#status() } : {}),
      ...(this.isGiven("subject") ? { subject: this.subject() } : {}),
      ...(this.isGiven("description") ? { description: this.description() } : {}),
    };
    if (Object.keys(change).length > 0) return change;
    throw new YoiError(
      "usage",
      `${this.tool} was given nothing to change: send status, subject or description.`,
    );
  }

  #status() {
    const value = this.value("status");
    return isTaskStatus(value) ? value : this.refuse("status", `must be one of ${taskStatuses.join(", ")}`);
  }
}
