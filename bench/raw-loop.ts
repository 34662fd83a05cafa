/**
 * The baseline, a program of its own: the least that an agent loop can do and still not lose a step. `node raw-loop.ts URL LOG`: fetch,
 * `sh -c`, and for the answer and for the result a record that is appended and synced.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";

const [url = "", logPath = ""] = process.argv.slice(2);

interface ToolUse {
  readonly id: string;
  readonly command: string;
}

/** The tool call of an answer; null when it has none. */
function toolUse(events: string): ToolUse | null {
  let id = "";
  let json = "";
  for (const line of events.split("\n")) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6)) as {
      readonly content_block?: { readonly type: string; readonly id: string };
      readonly delta?: { readonly partial_json?: string };
    };
    if (event.content_block?.type === "tool_use") id = event.content_block.id;
    json += event.delta?.partial_json ?? "";
  }
  return id === "" ? null : { id, command: (JSON.parse(json) as { command: string }).command };
}

async function run(command: string): Promise<string> {
  const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return `${output}exit ${code}`;
}

const log = openSync(logPath, "a", 0o600);
function record(value: object): void {
  writeSync(log, `${JSON.stringify(value)}\n`);
  fdatasyncSync(log);
}

const tools = [
  { name: "Bash", input_schema: { type: "object", properties: { command: { type: "string" } } } },
];
const messages: object[] = [{ role: "user", content: "go" }];
for (;;) {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "bench", max_tokens: 1024, stream: true, tools, messages }),
  });
  const call = toolUse(await response.text());
  if (call === null) break;
  const answer = {
    role: "assistant",
    content: [{ type: "tool_use", id: call.id, name: "Bash", input: { command: call.command } }],
  };
  record(answer);
  const result = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: call.id, content: await run(call.command) }],
  };
  record(result);
  messages.push(answer, result);
}
closeSync(log);
