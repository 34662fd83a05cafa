/** Catalog: which providers and models yoi knows, as data. What is not in it still works: the user may say a model's limits. */
import type { Price, ProviderKind } from "@yoi/base";
import { anthropicModels } from "./catalog/anthropic.ts";
import type { ModelEntry } from "./catalog/entry.ts";
import { googleModels } from "./catalog/google.ts";
import { openAiModels } from "./catalog/openai.ts";

/** required: nothing is sent without one. optional: it is sent where there is one. none: no key is looked for. */
export type KeyNeed = "required" | "optional" | "none";

/** A provider, built in or the user's own: a name for one endpoint, and how to speak to it. */
export interface ProviderEntry {
  readonly name: string;
  /** As people know it. */
  readonly label: string;
  readonly kind: ProviderKind | "scripted";
  /** Environment variables that may hold the key, the first that is set wins; the command line reads them. */
  readonly keyVariables: readonly string[];
  /** The id of the key in the secret store, asked when no variable is set; null: it is not. */
  readonly secret: string | null;
  readonly key: KeyNeed;
  readonly baseUrlVariable: string | null;
  /** Null: it has none of its own, the user must name one. */
  readonly baseUrl: string | null;
}

/** For a model that the catalog does not know. */
export const contextWindowDefault = 200_000;
export const outputMaxDefault = 32_000;

const builtIn = (
  name: string,
  provider: Omit<ProviderEntry, "name" | "secret" | "key"> & { readonly key?: KeyNeed },
): ProviderEntry => ({ name, secret: `providers/${name}/default`, key: "required", ...provider });

export const providers: readonly ProviderEntry[] = [
  builtIn("anthropic", {
    label: "Anthropic",
    kind: "anthropic",
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com",
  }),
  builtIn("openai", {
    label: "OpenAI",
    kind: "openai",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
  }),
  builtIn("google", {
    label: "Google",
    kind: "google",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com",
  }),
  builtIn("openrouter", {
    label: "OpenRouter",
    kind: "openai-compatible",
    keyVariables: ["OPENROUTER_API_KEY"],
    baseUrlVariable: null,
    baseUrl: "https://openrouter.ai/api/v1",
  }),
  builtIn("openai-compatible", {
    label: "OpenAI-compatible server",
    kind: "openai-compatible",
    keyVariables: [],
    baseUrlVariable: null,
    baseUrl: null,
    key: "optional",
  }),
  {
    name: "scripted",
    label: "Scripted model",
    kind: "scripted",
    keyVariables: [],
    secret: null,
    key: "none",
    baseUrlVariable: null,
    baseUrl: null,
  },
];

/** Newest first of each provider. */
export const models: readonly ModelEntry[] = [...anthropicModels, ...openAiModels, ...googleModels];

export function findProvider(name: string): ProviderEntry | null {
  return providers.find((provider) => provider.name === name) ?? null;
}

/** Dated ids (`claude-haiku-4-5-20251001`, `gpt-5.2-2025-12-11`) are the model without the date. */
export function findModel(provider: string, id: string): ModelEntry | null {
  const undated = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  return (
    models.find((model) => model.provider === provider && (model.id === id || model.id === undated)) ?? null
  );
}

/** What a request costs at that moment (ms since the epoch). */
export function priceAt({ price, nextPrice }: ModelEntry, nowMs: number): Price | null {
  return nextPrice !== undefined && nowMs >= nextPrice.fromMs ? nextPrice.price : price;
}
