/** The adapters by kind: the one place that knows them all. Each is loaded when a model of its kind is opened. */
import { providerKinds, type ProviderKind } from "@yoi/base";
import type { OpenAdapter } from "./adapter-options.ts";

interface AdapterEntry {
  /** What `llm_request` records as the adapter's name. */
  readonly name: string;
  readonly load: () => Promise<OpenAdapter>;
}

const adapters: { readonly [kind in ProviderKind]: AdapterEntry } = {
  anthropic: {
    name: "@ai-sdk/anthropic",
    load: async () => (await import("./anthropic/adapter.ts")).openAnthropic,
  },
  openai: {
    name: "@ai-sdk/openai",
    load: async () => (await import("./openai/adapter.ts")).openOpenAi,
  },
  google: {
    name: "@ai-sdk/google",
    load: async () => (await import("./google/adapter.ts")).openGoogle,
  },
  "openai-compatible": {
    name: "@ai-sdk/openai-compatible",
    load: async () => (await import("./openai-compatible/adapter.ts")).openOpenAiCompatible,
  },
};

export function loadAdapter(kind: ProviderKind): Promise<OpenAdapter> {
  return adapters[kind].load();
}

/** Which kind wrote a recorded request; null: an adapter that this yoi does not have. */
export function kindOfAdapter(name: string): ProviderKind | "scripted" | null {
  if (name === "scripted") return "scripted";
  return providerKinds.find((kind) => adapters[kind].name === name) ?? null;
}
