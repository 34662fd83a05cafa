/** `yoi model list`: providers with whether there is a key for each, never the key, and the models that are known with their limits and prices. */
import { escapeControls, type JsonObject, type Price, type TokenRates, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { whyNotSought } from "@yoi/keep";
import { namedWorkspace, resolveConfiguration } from "../compose/configuration.ts";
import { type ModelInForce, modelsInForce } from "../compose/models-in-force.ts";
import {
  type BaseUrlInForce,
  baseUrlInForce,
  configuredBaseUrl,
  type ProviderInForce,
  providersInForce,
} from "../compose/providers.ts";
import { keyFrom, secretIds } from "../compose/key-places.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { tableText } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";

export interface ModelListFlags extends JsonFlag {
  readonly cd?: string;
  readonly provider?: string;
}

export interface ListedProvider extends ProviderInForce {
  /** Null: the user has to name one. */
  readonly baseUrl: string | null;
  /** The variable or the secret that holds its key; null: there is no key. */
  readonly keyFrom: string | null;
}

export async function modelList(flags: ModelListFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const listed = await listKnownModels(environment, workspace, flags.provider);
  const { providers, models, chosen, warnings } = listed;
  if (flags.json === true) {
    const lists = { providers: providers.map(providerJson), models: models.map(modelJson) };
    process.stdout.write(jsonLine({ default: chosen, ...lists, warnings }));
    return exitCode.done;
  }
  process.stdout.write(modelsText(listed));
  for (const warning of warnings) process.stderr.write(`yoi: ${escapeControls(warning)}\n`);
  return exitCode.done;
}

export interface KnownModels {
  readonly providers: readonly ListedProvider[];
  readonly models: readonly ModelInForce[];
  /** `provider/id`: what a run takes when nobody names another. */
  readonly chosen: string;
  readonly warnings: readonly string[];
}

/** Those in force for a workspace; with `provider`, of that one alone. */
export async function listKnownModels(
  environment: Environment,
  workspace: string,
  provider?: string,
): Promise<KnownModels> {
  const host = nodeHost();
  const resolved = await resolveConfiguration(environment, workspace, {});
  const warnings = [...resolved.warnings];
  const chosen = resolved.manifest.model;
  const known = await secretIds(environment, host, warnings);
  const inForce = only(provider, providersInForce(resolved.definitions.providers));
  const providers = inForce.map((one): ListedProvider => {
    const configured = one.entry.name === chosen.provider ? configuredBaseUrl(resolved) : null;
    const url = baseUrlInForce(one, configured, environment);
    return {
      ...one,
      baseUrl: url === null ? null : shownUrl(url),
      keyFrom: keyFrom(one.entry, environment, known),
    };
  });
  warnings.push(...unsoughtKeys(inForce, environment));
  const models = modelsInForce({
    providers: inForce,
    definitions: resolved.definitions.models,
    chosen,
    nowMs: host.clock.now(),
  });
  return { providers, models, chosen: `${chosen.provider}/${chosen.id}`, warnings };
}

export function modelsText({ providers, models }: KnownModels, columns?: number): string {
  const about = ["PROVIDER", "KIND", "BASE URL", "KEY", "DEFINED"];
  const first = tableText(about, providers.map(providerRow), columns);
  const header = ["MODEL", "WINDOW", "OUTPUT", "IMAGES", "IN/M", "CACHED/M", "OUT/M", "NOTE"];
  return `${first}\n${tableText(header, models.map(modelRow), columns)}`;
}

function only(name: string | undefined, all: readonly ProviderInForce[]): readonly ProviderInForce[] {
  if (name === undefined) return all;
  const found = all.filter(({ entry }) => entry.name === name);
  if (found.length > 0) return found;
  throw new YoiError(
    "provider_unknown",
    `There is no provider ${JSON.stringify(name)}: use one of ${all.map(({ entry }) => entry.name).join(", ")}.`,
  );
}

/** A wrong one may hold a password anywhere. */
function shownUrl({ url: text, setBy }: BaseUrlInForce): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isBare = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === "";
  return isBare && url.protocol.startsWith("http") ? text : `unusable, set by ${setBy}`;
}

/** Of the variables that are set: a sentence for each whose value is left in logs and output. */
function unsoughtKeys(all: readonly ProviderInForce[], { variables }: Environment): readonly string[] {
  return all
    .flatMap(({ entry }) => entry.keyVariables)
    .flatMap((variable) => {
      const value = (variables[variable] ?? "").trim();
      const why = value === "" ? null : whyNotSought(value);
      return why === null ? [] : [`What ${variable} holds is not taken out of logs and output: ${why}.`];
    });
}

function keyText({ entry, keyFrom: from }: ListedProvider): string {
  if (entry.key === "none") return "takes none";
  if (from !== null) return `found: ${from}`;
  if (entry.key === "optional") return "none, and none is needed";
  const ways = [...entry.keyVariables, ...(entry.secret === null ? [] : [`secret ${entry.secret}`])];
  return `MISSING: ${ways.join(" or ")}`;
}

function providerRow(provider: ListedProvider): string[] {
  const { entry, baseUrl, origin } = provider;
  const url = baseUrl ?? (entry.kind === "scripted" ? "-" : "say it with --base-url");
  return [entry.name, entry.kind, url, keyText(provider), origin ?? "built-in"];
}

function providerJson({ entry, baseUrl, keyFrom: from, origin }: ListedProvider): JsonObject {
  return {
    name: entry.name,
    label: entry.label,
    kind: entry.kind,
    base_url: baseUrl,
    key: { need: entry.key, found: from },
    origin,
  };
}

function modelRow({
  ref,
  limits,
  capabilities,
  price,
  windowKnown,
  origin,
  isDefault,
}: ModelInForce): string[] {
  const notes = [
    ...(isDefault ? ["default"] : []),
    ...(windowKnown ? [] : ["window not known"]),
    ...(price?.long === undefined
      ? []
      : [`${rateCells(price.long).join(" ")} with a prompt over ${price.long.over_tokens}`]),
    ...(origin === null ? [] : [`from ${origin}`]),
  ];
  return [
    ref,
    String(limits.contextWindow),
    limits.outputTokensMax === null ? "-" : String(limits.outputTokensMax),
    capabilities.images ? "yes" : "no",
    ...rateCells(price),
    notes.join(", "),
  ];
}

/** Per million tokens: of the prompt, of what comes from the cache, of the answer. */
function rateCells(rates: TokenRates | null): string[] {
  if (rates === null) return ["?", "?", "?"];
  return [rates.input, rates.cache_read, rates.output].map((rate) => `$${rate}`);
}

function modelJson({ ref, provider, limits, capabilities, price, ...rest }: ModelInForce): JsonObject {
  return {
    ref,
    provider,
    context_window: limits.contextWindow,
    context_window_known: rest.windowKnown,
    max_output_tokens: limits.outputTokensMax,
    images: capabilities.images,
    mid_system: capabilities.midSystem,
    price: price === null ? null : priceJson(price),
    origin: rest.origin,
    default: rest.isDefault,
  };
}

function priceJson({ long, ...base }: Price): JsonObject {
  return { ...base, ...(long === undefined ? {} : { long: { ...long } }) };
}
