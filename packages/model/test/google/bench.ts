/** The Google adapter on a loopback server, and what the conformance suite has to know of it. */
import type { JsonObject, Usage } from "@yoi/base";
import type { FailureKind } from "@yoi/model";
import { openGoogle } from "../../src/google/adapter.ts";
import {
  callSignature,
  googleDialect,
  googleError,
  googleFrame,
  startGoogleServer,
} from "../../../../test/support/google-server.ts";
import type { Answer, ServerUsage } from "../../../../test/support/provider-answer.ts";
import type { Adapter, Bench } from "../conformance/adapter.ts";
import { onServer } from "../conformance/on-server.ts";

export const key = "AIza-test-0123456789";
export const clock = { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0 };

export async function bench(
  answers: readonly Answer[],
  body: (bench: Bench) => Promise<void>,
  id = "gemini-3.8-flash",
): Promise<void> {
  const server = await startGoogleServer({ answers });
  const model = openGoogle({
    provider: "google",
    id,
    apiKey: key,
    baseUrl: new URL(`${server.url}/v1beta`),
    limits: { contextWindow: 200_000, outputTokensMax: 32_000 },
    capabilities: { images: true, midSystem: false },
    price: () => null,
    endpoint: {
      label: "Google",
      host: new URL(server.url).host,
      model: id,
      keyVariable: "GEMINI_API_KEY",
      baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
      secret: key,
    },
    clock,
  });
  await onServer(server, model, body);
}

interface Body {
  readonly systemInstruction: unknown;
  readonly tools: unknown;
  readonly contents: readonly { readonly role: string; readonly parts: readonly JsonObject[] }[];
}

/** The parts of all contents of a request, each with its role. */
export function partsOf(body: unknown): JsonObject[] {
  return (body as Body).contents.flatMap(({ role, parts }) => parts.map((part) => ({ role, ...part })));
}

const statusNames: { readonly [kind in FailureKind]?: string } = {
  rate_limit: "RESOURCE_EXHAUSTED",
  overloaded: "UNAVAILABLE",
  server: "INTERNAL",
  timeout: "DEADLINE_EXCEEDED",
  not_found: "NOT_FOUND",
  invalid_request: "INVALID_ARGUMENT",
};
/** Other statuses come from what stands before the API, without a name. */
const statusNamesByCode: { readonly [code: number]: string } = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
};

function usage({ input, output, cacheRead, cacheWrite }: ServerUsage): Usage {
  return {
    input_tokens: input + cacheRead + cacheWrite,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
}

export const adapter: Adapter = {
  name: "google",
  key,
  dialect: googleDialect,
  bench,
  refusal: (status, kind, message, headers = {}) => {
    const name = kind === null ? undefined : (statusNamesByCode[status] ?? statusNames[kind]);
    return googleError(status, name ?? null, message, { headers });
  },
  overloaded: { type: "UNAVAILABLE", message: "The model is overloaded." },
  blocks: partsOf,
  head: (body) => {
    const { systemInstruction, tools } = body as Body;
    return { systemInstruction, tools };
  },
  systemItem: (seq, body) => ({
    role: "user",
    text: `<yoi-note id="${seq}" kind="notification" source="host">\n${body}\n</yoi-note>`,
  }),
  metadata: (block, index) => {
    switch (block.type) {
      case "text":
        return undefined;
      case "reasoning":
        return block.signature === undefined ? undefined : { google: { thoughtSignature: block.signature } };
      case "redacted_reasoning":
        return { google: { thoughtSignature: block.data } };
      case "tool_call":
        return { google: { thoughtSignature: callSignature(index) } };
    }
  },
  signs: true,
  argumentsAsText: false,
  usage,
  usageSoFar: (counts) => usage({ ...counts, output: 1 }),
  garbage: [
    'data: {"candidates":3}\n\n',
    'data: {"candidates":[{"content":{"parts":[{"text":7}]}}]}\n\n',
    'data: {"candidates":[{"content":{"parts":[{"functionCall":"read"}]}}]}\n\n',
  ],
  unknown: [
    googleFrame({}),
    googleFrame({ weather: { wind: 3 } }),
    googleFrame({ candidates: [{ content: { parts: [{ hologram: { depth: 1 } }] }, smell: "x" }] }),
  ],
};
