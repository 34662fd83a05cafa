/** The parts of the Task feature as they are wired, and calls as the worker makes them. */
import { callId, deepFreeze, type JsonObject, type Tool, type ToolOutput } from "@yoi/base";
import type { AppendReceipt, PreLlmRequestContext, ToolRecord } from "@yoi/feature";
import { TaskReminder } from "../../src/task/task-reminder.ts";
import { taskState } from "../../src/task/task-state.ts";
import { TaskStore } from "../../src/task/task-store.ts";
import { taskTools } from "../../src/task/task-tools.ts";

export class Tasks {
  readonly store = new TaskStore();
  readonly reminder = new TaskReminder(this.store);
  readonly state = taskState(this.store, this.reminder);
  readonly tools = taskTools(this.store);
  /** What calls left in the log. */
  readonly records: ToolRecord[] = [];

  tool(name: string): Tool {
    const tool = this.tools.find(({ definition }) => definition.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  }

  /** A failure is an error result, as the worker makes one. */
  async call(name: string, args: JsonObject): Promise<ToolOutput> {
    const call = callId(this.records.length, 0);
    this.reminder.beforeToolCall({
      callId: call,
      toolName: name,
      arguments: args,
      readOnly: this.tool(name).readOnly,
    });
    const output = await outputOf(this.tool(name), args);
    const { summary, content, record } = output;
    this.records.push(
      deepFreeze({
        call,
        tool: name,
        arguments: args,
        isError: output.is_error === true,
        summary,
        ...(content === undefined ? {} : { content }),
        ...(record === undefined ? {} : { record }),
      }),
    );
    return output;
  }

  /** One request: the bodies that the reminder queued. What becomes of them is `fate`; null: the hook has no handle. */
  request(fate: AppendReceipt["state"] | null = "committed"): readonly string[] {
    const bodies: string[] = [];
    const receipt: { state: AppendReceipt["state"] } = { state: "queued" };
    const systemItems =
      fate === null
        ? null
        : {
            appendTaskReminder: (body: string) => {
              bodies.push(body);
              return receipt;
            },
          };
    const context: PreLlmRequestContext = {
      info: { itemCount: 1, estimatedTokens: 1, turnIndex: 0, toolCallsThisRun: 0 },
      systemItems,
    };
    const action = this.reminder.beforeRequest(context);
    if (JSON.stringify(action) !== '{"action":"continue"}') throw new Error("the reminder interfered");
    if (fate !== null) receipt.state = fate;
    return bodies;
  }

  /** The numbers of the requests, from 1, before which a reminder was queued. */
  remindedAt(requests: number, fate?: AppendReceipt["state"] | null): readonly number[] {
    const numbers = Array.from({ length: requests }, (_, index) => index + 1);
    return numbers.filter(() => this.request(fate).length > 0);
  }
}

export async function outputOf(tool: Tool, args: JsonObject): Promise<ToolOutput> {
  try {
    return await tool.execute(deepFreeze(args), {
      call: callId(1, 0),
      signal: new AbortController().signal,
      progress: () => {},
    });
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return { summary: thrown.message, is_error: true };
  }
}
