/** Frames: the event stream of a chat completion as the SDK can read it: over at `[DONE]`, and with arguments that are text. */
import { isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";

/** `fetch` whose answers end where the answer ends, also when the server keeps the connection open behind it. */
export function readableFrames(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || response.body === null) return response;
    // Not cancelled at [DONE]: what follows is drained below, so that the connection can be used again.
    const body = response.body.pipeThrough(frames(), { preventCancel: true });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function frames(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      rest += text;
      if (!text.includes("\n")) return;
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      const end = lines.findIndex(isDone);
      const read = end === -1 ? lines : lines.slice(0, end);
      if (read.length > 0) controller.enqueue(encoder.encode(`${read.map(withTextArguments).join("\n")}\n`));
      if (end !== -1) controller.terminate();
    },
    flush(controller) {
      controller.enqueue(encoder.encode(rest));
    },
  });
}

function isDone(line: string): boolean {
  return line.startsWith("data:") && line.slice("data:".length).trim() === "[DONE]";
}

/** Quotes inside of a JSON string are escaped, so this finds nothing in a text. */
const argumentsObject = /"arguments"\s*:\s*\{/;

/** Some servers send the arguments of a call as an object, which the SDK does not read. */
function withTextArguments(line: string): string {
  if (!line.startsWith("data:") || !argumentsObject.test(line)) return line;
  try {
    return `data: ${JSON.stringify(textArguments(JSON.parse(line.slice("data:".length))))}`;
  } catch {
    return line; // Not JSON, or nested too deep to be walked: the SDK says so.
  }
}

function textArguments(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => textArguments(item) ?? null);
  if (!isJsonObject(value)) return value;
  const copy: { [name: string]: JsonValue | undefined } = {};
  for (const [name, field] of Object.entries(value))
    copy[name] = name === "arguments" && isJsonObject(field) ? JSON.stringify(field) : textArguments(field);
  return copy satisfies JsonObject;
}
