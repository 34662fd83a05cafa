/** The adapters by kind: the one place that knows them all. Each is loaded when a model of its kind is opened. */
import { YoiError, type ProviderKind } from "@yoi/base";
import type { OpenAdapter } from "./adapter-options.ts";

interface AdapterEntry {
  /** What `llm_request` records as the adapter's name. */
  readonly name: string;
  readonly load: () => Promise<OpenAdapter>;
}

const adapters: { readonly [kind in ProviderKind]?: AdapterEntry } = {
  anthropic: {
    name: "@ai-sdk/anthropic",
    load: async () => (await import("./anthropic/adapter.ts")).openAnthropic,
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

export async function loadAdapter(kind: ProviderKind): Promise<OpenAdapter> {
  const entry = adapters[kind];
  if (entry === undefined)
    throw new YoiError(
      "provider_unknown",
      `Providers of the kind ${kind} do not work in this version of yoi.`,
    );
  return entry.load();
}

/** Which kind wrote a recorded request; null: an adapter that this yoi does not have. */
export function kindOfAdapter(name: string): ProviderKind | "scripted" | null {
  if (name === "scripted") return "scripted";
  for (const [kind, entry] of Object.entries(adapters)) if (entry.name === name) return kind as ProviderKind;
  return null;
}
