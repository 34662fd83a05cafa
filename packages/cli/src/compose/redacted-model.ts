/** A model whose answers are without known credentials, also where one comes in two pieces: what streams is put on record in pieces. */
import type { KnownSecrets, TextStream } from "@yoi/keep";
import { type Model, type ModelEvent, withStream } from "@yoi/model";

export function redactedModel(model: Model, known: KnownSecrets): Model {
  return withStream(model, (request, options) => cleaned(model.stream(request, options), known));
}

async function* cleaned(events: AsyncIterable<ModelEvent>, known: KnownSecrets): AsyncGenerator<ModelEvent> {
  const open = new Map<number, TextStream>();
  for await (const event of events) {
    switch (event.type) {
      case "block_start":
        open.set(event.index, known.textStream());
        yield event;
        break;
      case "block_delta": {
        const text = open.get(event.index)?.add(event.text) ?? event.text;
        // An empty one still says that the stream is alive.
        yield text === "" ? { type: "ping" } : { ...event, text };
        break;
      }
      case "block_end": {
        const rest = open.get(event.index)?.end() ?? "";
        open.delete(event.index);
        if (rest !== "") yield { type: "block_delta", index: event.index, text: rest };
        yield { ...event, text: wholeText(event.text, known.redact) };
        break;
      }
      case "failure":
        // What still waits may be most of a value: an answer that broke off loses it.
        yield { ...event, failure: { ...event.failure, message: known.redact(event.failure.message) } };
        break;
      case "retry":
        yield { ...event, failure: { ...event.failure, message: known.redact(event.failure.message) } };
        break;
      case "ping":
      case "finish":
        yield event;
        break;
      default:
        event satisfies never;
    }
  }
}

/** Arguments that would be no JSON any more stay: the log, which knows that they are arguments, replaces in them what it must. */
function wholeText(text: string, redact: KnownSecrets["redact"]): string {
  const clean = redact(text);
  return clean !== text && isJson(text) && !isJson(clean) ? text : clean;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
