/** Reads the output of the Task tools as a program does that shows them: the reference for their forms. */

export interface ShownTask {
  readonly taskid: number;
  readonly status: string;
  readonly subject: string;
  /** Not in the short form, which a change has of a long list. */
  readonly description?: string;
}

export interface Overview {
  readonly total: number;
  readonly pending: number;
  readonly inprogress: number;
  readonly completed: number;
  readonly deleted: number;
}

const overview =
  /^Tasks: (?<total>\d+) total, (?<pending>\d+) pending, (?<inprogress>\d+) inprogress, (?<completed>\d+) completed, (?<deleted>\d+) deleted$/;

export function parseOverview(line: string): Overview {
  const groups = overview.exec(line)?.groups;
  if (groups === undefined) throw new Error(`no overview: ${line}`);
  const count = (name: keyof Overview) => Number(groups[name]);
  return {
    total: count("total"),
    pending: count("pending"),
    inprogress: count("inprogress"),
    completed: count("completed"),
    deleted: count("deleted"),
  };
}

/** The tasks in TaskList's content: behind the overview and a blank line, in the one fenced block, as a reader of Markdown finds it. */
export function parseListing(content: string): {
  readonly overview: Overview;
  readonly tasks: readonly ShownTask[];
  readonly leftOut?: number;
} {
  const lines = content.split("\n");
  const fences = lines.flatMap((line, index) => (/^ {0,3}```/.test(line) ? [index] : []));
  if (lines[1] !== "" || fences.length !== 2 || fences[0] !== 2 || fences[1] !== lines.length - 1) {
    throw new Error("not an overview, a blank line and one fenced block");
  }
  const list = JSON.parse(lines.slice(3, -1).join("\n")) as ShownList;
  return { overview: parseOverview(lines[0] ?? ""), ...parseList(list) };
}

interface ShownList {
  readonly tasks: readonly ShownTask[];
  readonly left_out?: number;
}

function parseList({ tasks, left_out: leftOut }: ShownList) {
  return { tasks, ...(leftOut === undefined ? {} : { leftOut }) };
}

/** What a changing call tells. Keys that a later version adds are no harm. */
export function parseChange(content: string): {
  readonly task: ShownTask;
  readonly tasks: readonly ShownTask[];
  readonly leftOut?: number;
} {
  const { task, snapshot } = JSON.parse(content) as { task: ShownTask; snapshot: ShownList };
  return { task, ...parseList(snapshot) };
}
