/** Opening a model by its provider's name: the one place that knows every adapter. */
import { YoiError, type Clock, type Random, type Timers } from "@yoi/base";
import { openAnthropic } from "./anthropic/adapter.ts";
import {
  contextWindowDefault,
  findModel,
  findProvider,
  outputMaxDefault,
  providers,
  type ProviderEntry,
} from "./catalog.ts";
import { withIdleTimeout } from "./idle-timeout.ts";
import type { Model, ModelLimits } from "./model.ts";
import { withRetry } from "./retry.ts";
import { baseUrl, inTheClear } from "./wire/base-url.ts";

export interface ModelPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

export interface OpenModelOptions {
  readonly provider: string;
  /** The provider's own id; it may contain slashes. */
  readonly id: string;
  readonly apiKey?: string;
  /** The provider's own when absent. */
  readonly baseUrl?: string;
  /** Tokens; these win over the catalog. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Only `lower` will be used, as `verify` does: neither key nor scenario is needed. */
  readonly offline?: boolean;
  readonly ports: ModelPorts;
  /** For `scripted`: the scenario's name and its text. */
  readonly scenario?: { readonly name: string; readonly text: string };
}

export interface OpenedModel {
  readonly model: Model;
  /** Sentences for the user. */
  readonly warnings: readonly string[];
}

/**
 * Opens a model; a provider's comes with retries and limits on silence. Reads no environment and sends nothing. Throws provider_unknown (also for a provider
 * of a later version), credentials_missing and config_invalid, each naming what to set.
 */
export async function openModel(options: OpenModelOptions): Promise<OpenedModel> {
  const provider = findProvider(options.provider);
  if (provider === null) throw unknownProvider(options.provider);
  if (!provider.available) throw unavailableProvider(provider);
  if (provider.name === "scripted") return scripted(options);
  const { model, warnings } = anthropic(provider, options);
  return { model: withRetry(withIdleTimeout(model, options.ports.timers), options.ports), warnings };
}

function usable(): string {
  return providers
    .filter((provider) => provider.available)
    .map((provider) => provider.name)
    .join(", ");
}

function unknownProvider(name: string): YoiError {
  return new YoiError(
    "provider_unknown",
    `There is no provider ${JSON.stringify(name)}: use one of ${usable()}, as in anthropic/<model>.`,
  );
}

function unavailableProvider(provider: ProviderEntry): YoiError {
  return new YoiError(
    "provider_unknown",
    `The provider ${provider.name} does not work in this version of yoi: use one of ${usable()}.`,
  );
}

function tokens(value: number | undefined, name: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value;
  throw new YoiError("config_invalid", `${name} is ${value}: set it to a whole number of tokens above 0.`);
}

function limitsOf(options: OpenModelOptions): { limits: ModelLimits; known: boolean } {
  const entry = findModel(options.provider, options.id);
  const contextWindow =
    tokens(options.contextWindow, "context_window") ?? entry?.contextWindow ?? contextWindowDefault;
  const outputTokensMax =
    tokens(options.maxOutputTokens, "max_output_tokens") ?? entry?.outputMax ?? outputMaxDefault;
  return {
    limits: { contextWindow, outputTokensMax },
    known: entry !== null || options.contextWindow !== undefined,
  };
}

function anthropic(provider: ProviderEntry, options: OpenModelOptions): OpenedModel {
  const keyVariable = provider.keyVariable ?? "";
  const baseUrlVariable = provider.baseUrlVariable ?? "";
  const apiKey = options.apiKey?.trim() ?? "";
  if (apiKey === "" && options.offline !== true) {
    throw new YoiError("credentials_missing", `There is no key for ${provider.label}: set ${keyVariable}.`);
  }
  if (/[^\x21-\x7e]/.test(apiKey)) {
    throw new YoiError(
      "config_invalid",
      `The key for ${provider.label} holds characters that no key has: set ${keyVariable} again.`,
    );
  }
  if (options.id === "")
    throw new YoiError("config_invalid", `The model id is empty: write it as anthropic/<model>.`);
  const url = baseUrl(options.baseUrl ?? provider.baseUrl ?? "", baseUrlVariable);
  const { limits, known } = limitsOf(options);
  const warnings: string[] = [];
  if (!known) {
    warnings.push(
      `The model ${options.provider}/${options.id} is not in the catalog: a context window of ${limits.contextWindow} tokens is assumed; set context_window to say otherwise.`,
    );
  }
  if (inTheClear(url))
    warnings.push(
      `The key for ${provider.label} goes to ${url.host} unencrypted: use https in ${baseUrlVariable}.`,
    );
  const model = openAnthropic({
    id: options.id,
    // The adapter would look for a key of its own in the environment if this were empty.
    apiKey: apiKey === "" ? "offline" : apiKey,
    baseUrl: url,
    limits,
    capabilities: { images: true, midSystem: findModel(options.provider, options.id)?.midSystem ?? false },
    price: null,
    endpoint: {
      label: provider.label,
      host: url.host,
      model: options.id,
      keyVariable,
      baseUrlVariable,
      secret: apiKey,
    },
    clock: options.ports.clock,
  });
  return { model, warnings };
}

/** A scenario says itself what is retried and how long a silence lasts: the same request sent again would get the same answer. */
async function scripted(options: OpenModelOptions): Promise<OpenedModel> {
  const { ports } = options;
  // What a request lowers to does not depend on what would have answered it.
  const played = options.offline === true ? { name: options.id, text: "steps: []" } : undefined;
  const scenario = options.scenario ?? played;
  if (scenario === undefined) {
    throw new YoiError(
      "config_invalid",
      `The model scripted/${options.id} has no scenario: name a scenario file.`,
    );
  }
  const { openScripted } = await import("./scripted/index.ts");
  return { model: openScripted({ ...scenario, ports }), warnings: [] };
}
