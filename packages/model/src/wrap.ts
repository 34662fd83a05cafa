/** Wrapping: another model's answers in other hands, everything else its own. */
import type { Model } from "./model.ts";

export function withStream(model: Model, stream: Model["stream"]): Model {
  return {
    provider: model.provider,
    id: model.id,
    limits: model.limits,
    capabilities: model.capabilities,
    price: model.price,
    adapter: model.adapter,
    lowering: model.lowering,
    stream,
    lower: (request) => model.lower(request),
    close: () => model.close?.() ?? Promise.resolve(),
  };
}
