/** Every provider kind as tests meet it: a model to open, and the language its server speaks. A new provider is one row more. */
import { anthropicDialect } from "./anthropic-answer.ts";
import { googleDialect } from "./google-server.ts";
import { openAiCompatibleDialect } from "./openai-compatible-server.ts";
import { openAiDialect } from "./openai-server.ts";
import type { Dialect } from "./provider-answer.ts";
import { startProviderServer, type ProviderServer, type ProviderServerOptions } from "./provider-server.ts";

export interface ProviderRow {
  readonly provider: string;
  readonly id: string;
  readonly dialect: Dialect;
  /** It has reasoning that nobody but itself can read. */
  readonly redacts: boolean;
}

export const providerRows = {
  anthropic: {
    provider: "anthropic",
    id: "claude-opus-5-5",
    dialect: anthropicDialect,
    redacts: true,
  },
  openai: { provider: "openai", id: "gpt-5.2", dialect: openAiDialect, redacts: true },
  google: { provider: "google", id: "gemini-3-pro", dialect: googleDialect, redacts: true },
  openAiCompatible: {
    provider: "openai-compatible",
    id: "house/model-1",
    dialect: openAiCompatibleDialect,
    redacts: false,
  },
} as const satisfies { readonly [name: string]: ProviderRow };

/** A server of that provider; its `url`, without a path, is a base URL that the provider takes. The caller closes it. */
export function startServerOf(
  { dialect }: ProviderRow,
  options: ProviderServerOptions,
): Promise<ProviderServer> {
  return startProviderServer(dialect, options);
}
