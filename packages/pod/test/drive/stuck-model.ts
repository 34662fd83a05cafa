/** A model that hangs at one of its requests and listens to nobody, and is the scripted one otherwise. */
import type { Model, ModelEvent } from "@yoi/model";
import { overriding } from "../../../../test/support/overriding.ts";

/** @param hangs asked at each request: where it hangs; null: it does not. */
export function stuckModel(model: Model, hangs: () => "before sending" | "before the answer" | null): Model {
  const stream: Model["stream"] = async function* (request, options): AsyncIterable<ModelEvent> {
    const where = hangs();
    if (where === null) {
      yield* model.stream(request, options);
      return;
    }
    if (where === "before the answer") await options.beforeSend(await model.lower(request));
    await new Promise<never>(() => {});
  };
  return overriding(model, { stream });
}
