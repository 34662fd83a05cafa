/** A model whose answers are without known credentials while they stream, also where one comes in two pieces: the pieces are shown and put on record. */
import type { KnownSecrets, TextStream } from "@yoi/keep";
import { type Model, type ModelEvent, withStream } from "@yoi/model";

/** A whole block goes on as it came, with what its provider signed: what is committed of it the log decides. */
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
        yield event;
        break;
      }
      case "failure":
      case "retry":
        // What still waits may be most of a value: an answer that broke off loses it.
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
