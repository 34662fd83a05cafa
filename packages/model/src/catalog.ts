/** Catalog: which providers and models yoi knows, as data. What is not in it still works: the user may say a model's limits. */

export interface ProviderEntry {
  readonly name: string;
  /** As people know it. */
  readonly label: string;
  /** Environment variables that the command line reads; null: it takes none. */
  readonly keyVariable: string | null;
  readonly baseUrlVariable: string | null;
  readonly baseUrl: string | null;
  /** False: the name is taken, the adapter comes with a later version. */
  readonly available: boolean;
}

export interface ModelEntry {
  readonly provider: string;
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number;
  /** Tokens. */
  readonly outputMax: number;
  /**
   * Takes `system` messages anywhere in the history. Claude models from Opus 4.8 on take them only before an answer or at the end, which
   * a history of hours does not keep, so none of them says so.
   */
  readonly midSystem: boolean;
}

/** For a model that the catalog does not know. */
export const contextWindowDefault = 200_000;
export const outputMaxDefault = 32_000;

export const providers: readonly ProviderEntry[] = [
  {
    name: "anthropic",
    label: "Anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com",
    available: true,
  },
  {
    name: "openai",
    label: "OpenAI",
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    available: false,
  },
  {
    name: "google",
    label: "Google",
    keyVariable: "GEMINI_API_KEY",
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com",
    available: false,
  },
  {
    name: "openai-compatible",
    label: "OpenAI-compatible server",
    keyVariable: null,
    baseUrlVariable: null,
    baseUrl: null,
    available: false,
  },
  {
    name: "scripted",
    label: "Scripted model",
    keyVariable: null,
    baseUrlVariable: null,
    baseUrl: null,
    available: true,
  },
];

const claude = (id: string, contextWindow: number, outputMax: number): ModelEntry => ({
  provider: "anthropic",
  id,
  contextWindow,
  outputMax,
  midSystem: false,
});

/** Newest first: the first of a provider is what examples use. */
export const models: readonly ModelEntry[] = [
  claude("claude-opus-5-5", 1_000_000, 128_000),
  claude("claude-sonnet-5-5", 1_000_000, 128_000),
  claude("claude-haiku-5-5", 1_000_000, 128_000),
  claude("claude-fable-5-1", 1_000_000, 128_000),
  claude("claude-fable-5", 1_000_000, 128_000),
  claude("claude-opus-5", 1_000_000, 128_000),
  claude("claude-sonnet-5", 1_000_000, 128_000),
  claude("claude-opus-4-8", 1_000_000, 128_000),
  claude("claude-opus-4-7", 1_000_000, 128_000),
  claude("claude-opus-4-6", 1_000_000, 128_000),
  claude("claude-sonnet-4-6", 1_000_000, 128_000),
  claude("claude-opus-4-5", 200_000, 64_000),
  claude("claude-haiku-4-5", 200_000, 64_000),
  claude("claude-sonnet-4-5", 200_000, 64_000),
  claude("claude-opus-4-1", 200_000, 32_000),
];

export function findProvider(name: string): ProviderEntry | null {
  return providers.find((provider) => provider.name === name) ?? null;
}

/** Dated ids (`claude-haiku-4-5-20251001`) are the model without the date. */
export function findModel(provider: string, id: string): ModelEntry | null {
  const undated = id.replace(/-\d{8}$/, "");
  return (
    models.find((model) => model.provider === provider && (model.id === id || model.id === undated)) ?? null
  );
}
