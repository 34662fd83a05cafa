/** Opening a model by its provider's name: the one place that knows every adapter. */
import { YoiError, type Clock, type ProviderKind, type Random, type Timers } from "@yoi/base";
import { loadAdapter } from "./adapters.ts";
import { findProvider, providers, type ProviderEntry } from "./catalog.ts";
import { idleLimitsByKind, withIdleTimeout } from "./idle-timeout.ts";
import { knownModel, type ModelFacts } from "./known-model.ts";
import type { Model } from "./model.ts";
import { withRetry } from "./retry.ts";
import { baseUrl, inTheClear } from "./wire/base-url.ts";

export interface ModelPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

export interface OpenModelOptions {
  readonly provider: string;
  /** The user's own provider of that name: it wins over a built-in one. */
  readonly entry?: ProviderEntry;
  /** The provider's own id; it may contain slashes. */
  readonly id: string;
  readonly apiKey?: string;
  /** Where it came from, in a few words for messages; absent: where this provider's is looked for first. */
  readonly apiKeyFrom?: string;
  /** The provider's own when absent. */
  readonly baseUrl?: string;
  /** What the user changes to have another base URL, for messages. */
  readonly baseUrlSetBy?: string;
  readonly facts?: ModelFacts;
  /** Only `lower` will be used, as `verify` does: neither key, endpoint nor scenario is needed. */
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
 * Opens a model; a provider's comes with retries and limits on silence. Reads no environment and sends nothing. Throws provider_unknown,
 * credentials_missing and config_invalid, each naming what to set.
 */
export async function openModel(options: OpenModelOptions): Promise<OpenedModel> {
  const provider = options.entry ?? findProvider(options.provider);
  if (provider === null) throw unknownProvider(options.provider);
  if (provider.kind === "scripted") return scripted(options);
  const { model, warnings } = await online(provider, provider.kind, options);
  const limits = idleLimitsByKind[provider.kind];
  return { model: withRetry(withIdleTimeout(model, options.ports.timers, limits), options.ports), warnings };
}

function unknownProvider(name: string): YoiError {
  const known = providers.map((provider) => provider.name).join(", ");
  return new YoiError(
    "provider_unknown",
    `There is no provider ${JSON.stringify(name)}: use one of ${known}, as in anthropic/<model>, or define it below [[providers]] in your config.toml.`,
  );
}

/** The key that will be sent; null: none. */
function keyOf(provider: ProviderEntry, options: OpenModelOptions): string | null {
  const key = options.apiKey?.trim() ?? "";
  if (key === "" && provider.key === "required" && options.offline !== true) {
    throw new YoiError(
      "credentials_missing",
      `There is no key for ${provider.label}: ${waysToSetKey(provider).join(", or ")}.`,
    );
  }
  if (/[^\x21-\x7e]/.test(key)) {
    throw new YoiError(
      "config_invalid",
      `The key for ${provider.label} holds characters that no key has: set ${keySource(provider, options)} again.`,
    );
  }
  return key === "" ? null : key;
}

function waysToSetKey({ keyVariables, secret }: ProviderEntry): string[] {
  const [variable] = keyVariables;
  return [
    ...(variable === undefined ? [] : [`set ${variable}`]),
    ...(secret === null ? [] : [`store it with \`yoi secret set ${secret}\``]),
  ];
}

/** Where its key comes from, in a few words. */
function keySource(
  { keyVariables, secret, name }: ProviderEntry,
  { apiKeyFrom }: Pick<OpenModelOptions, "apiKeyFrom">,
): string {
  if (apiKeyFrom !== undefined) return apiKeyFrom;
  return keyVariables[0] ?? (secret === null ? `the key of ${name}` : `the secret ${secret}`);
}

/** Verifying compares the end of a path: an endpoint of its own would only be in the way. */
const nowhere = new URL("https://offline.invalid/");

function endpointUrl(
  provider: ProviderEntry,
  kind: ProviderKind,
  options: OpenModelOptions,
  setBy: string,
): URL {
  const configured = options.baseUrl ?? provider.baseUrl;
  if (configured !== null) return baseUrl(configured, kind, setBy);
  if (options.offline === true) return nowhere;
  throw new YoiError(
    "config_invalid",
    `The provider ${provider.name} has no endpoint of its own: say where the server is with --base-url http://host:port/v1, or as base_url below [model] in your config.toml.`,
  );
}

async function online(
  provider: ProviderEntry,
  kind: ProviderKind,
  options: OpenModelOptions,
): Promise<OpenedModel> {
  const apiKey = keyOf(provider, options);
  if (options.id === "")
    throw new YoiError("config_invalid", `The model id is empty: write it as ${provider.name}/<model>.`);
  const urlSetBy = options.baseUrlSetBy ?? provider.baseUrlVariable ?? `the base URL of ${provider.name}`;
  const url = endpointUrl(provider, kind, options, urlSetBy);
  const { provider: name, id, facts = {}, ports } = options;
  const known = knownModel({ provider: name, kind, id, facts });
  const warnings: string[] = [];
  if (!known.windowKnown) {
    warnings.push(
      `The model ${options.provider}/${options.id} is not in the catalog: a context window of ${known.limits.contextWindow} tokens is assumed; set context_window to say otherwise.`,
    );
  }
  if (apiKey !== null && inTheClear(url))
    warnings.push(`The key for ${provider.label} goes to ${url.host} unencrypted: use https in ${urlSetBy}.`);
  const open = await loadAdapter(kind);
  const model = open({
    provider: options.provider,
    id: options.id,
    apiKey,
    baseUrl: url,
    limits: known.limits,
    capabilities: known.capabilities,
    price: () => known.priceAt(ports.clock.now()),
    endpoint: {
      label: provider.label,
      host: url.host,
      model: options.id,
      keyVariable: keySource(provider, options),
      baseUrlVariable: urlSetBy,
      secret: apiKey ?? "",
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
