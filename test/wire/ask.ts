/**
 * A program that asks a model once, prints what came as one JSON line, and at its end how long it outlived that. `bare` and `hold` are
 * controls: the provider's SDK left to itself, and a timer left behind.
 */
import { writeSync } from "node:fs";
import { nodeHost } from "@yoi/host";
import { openModel, type ModelEvent, type ModelRequest } from "@yoi/model";

const [provider = "", id = "", baseUrl = "", mode = ""] = process.argv.slice(2);

async function bare() {
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic().languageModel(id);
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI().responses(id);
    case "google":
      return (await import("@ai-sdk/google"))
        .createGoogle({ baseURL: `${baseUrl}/v1beta` })
        .languageModel(id);
    default:
      throw new Error(`the SDK of ${provider} takes nothing from the environment`);
  }
}

if (mode === "bare") {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
  await (await bare()).doStream({ prompt });
  process.exit(0);
}
const { model } = await openModel({ provider, id, apiKey: "sk-given", baseUrl, ports: nodeHost() });
const request: ModelRequest = {
  head: { system: "s", tools: [], config: { model: `${provider}/${id}`, max_output_tokens: 100 } },
  items: [{ seq: 1, item: { type: "user_message", parts: [{ type: "text", text: "go" }] } }],
  projection: { prune_before: null },
};
const controller = new AbortController();
const events: ModelEvent[] = [];
let sha256 = "";
const beforeSend = async (wire: { readonly sha256: string }): Promise<void> => {
  sha256 = wire.sha256;
};
for await (const event of model.stream(request, { signal: controller.signal, beforeSend })) {
  events.push(event);
  if (mode === "abort" && event.type === "block_delta") controller.abort();
}
writeSync(1, `${JSON.stringify({ sha256, last: events.at(-1) })}\n`);
const lastOutputMs = performance.now();
process.on("exit", () => writeSync(1, `${performance.now() - lastOutputMs}\n`));
if (mode === "hold") setTimeout(() => {}, 400);
