/** Starts the model server as a child process and asks it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FromServer, ServerReport, ToServer } from "./model-server.ts";
import type { ToolCall } from "./subject.ts";

export interface ModelProcess extends AsyncDisposable {
  readonly url: string;
  /** Forgets what was; the next `steps` requests get a call of the tool, the one after them `done`. */
  reset(steps: number, tool: ToolCall): Promise<void>;
  report(): Promise<ServerReport>;
}

export async function startModel(): Promise<ModelProcess> {
  const child = fork(fileURLToPath(new URL("model-server.ts", import.meta.url)));
  const ended = once(child, "exit");
  const receive = async <T extends FromServer["type"]>(
    type: T,
  ): Promise<Extract<FromServer, { type: T }>> => {
    const message = (await Promise.race([once(child, "message"), ended]))[0] as FromServer | number | null;
    if (typeof message !== "object" || message === null || message.type !== type) {
      throw new Error(`the model server said ${JSON.stringify(message)} where ${type} was due`);
    }
    return message as Extract<FromServer, { type: T }>;
  };
  const ask = async <T extends FromServer["type"]>(question: ToServer, type: T) => {
    child.send(question);
    return receive(type);
  };
  const { url } = await receive("listening");
  return {
    url,
    reset: async (steps, tool) => void (await ask({ type: "reset", steps, tool }, "ready")),
    report: async () => (await ask({ type: "report" }, "report")).report,
    [Symbol.asyncDispose]: async () => {
      child.disconnect();
      await ended;
    },
  };
}
