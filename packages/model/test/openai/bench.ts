/** The OpenAI adapter on a loopback server. */
import type { Model } from "@yoi/model";
import { startOpenAiServer } from "../../../../test/support/openai-server.ts";
import type { Answer } from "../../../../test/support/provider-answer.ts";
import { openOpenAi } from "../../src/openai/adapter.ts";
import type { Bench } from "../conformance/adapter.ts";
import { onServer } from "../conformance/on-server.ts";

export const key = "sk-proj-test-0123456789";
const clock = { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0 };

function openAt(baseUrl: string, id = "gpt-5.2"): Model {
  return openOpenAi({
    provider: "openai",
    id,
    apiKey: key,
    baseUrl: new URL(baseUrl),
    limits: { contextWindow: 200_000, outputTokensMax: 32_000 },
    capabilities: { images: true, midSystem: true },
    price: () => null,
    endpoint: {
      label: "OpenAI",
      host: new URL(baseUrl).host,
      model: id,
      keyVariable: "OPENAI_API_KEY",
      baseUrlVariable: "OPENAI_BASE_URL",
      secret: key,
    },
    clock,
  });
}

export async function bench(
  answers: readonly Answer[],
  body: (bench: Bench) => Promise<void>,
  id?: string,
): Promise<void> {
  const server = await startOpenAiServer({ answers });
  await onServer(server, openAt(`${server.url}/v1`, id), body);
}
