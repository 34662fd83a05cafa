/** One small request to a model, to see that it answers. */
import { noProjection } from "@yoi/base";
import type { Model } from "@yoi/model";

/** Of the answer: enough for one word, behind some thinking. */
const outputTokensMax = 512;
const wordCharsMax = 200;
const question = "Answer with one word: ready";

/** What it said. Throws the sentence of the failure; nothing is tried again. */
export async function askModel(model: Model, signal: AbortSignal): Promise<string> {
  const { limits } = model;
  const asked = Math.min(outputTokensMax, limits.outputTokensMax ?? outputTokensMax);
  const head = {
    system: "",
    tools: [],
    config: { model: `${model.provider}/${model.id}`, max_output_tokens: asked },
  };
  const item = { type: "user_message", parts: [{ type: "text", text: question }] } as const;
  const request = { head, items: [{ seq: 1, item }], projection: noProjection };
  const texts = new Set<number>();
  let said = "";
  for await (const event of model.stream(request, { signal, beforeSend: async () => {} })) {
    if (event.type === "block_start" && event.block === "text") texts.add(event.index);
    if (event.type === "block_delta" && texts.has(event.index)) said += event.text;
    if (event.type === "retry" || event.type === "failure") throw new Error(event.failure.message);
  }
  return said.trim().slice(0, wordCharsMax);
}
