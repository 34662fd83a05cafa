/** Providers in force: those that yoi knows, and those that the user's own file adds or puts in their place. */
import { type ErrorPlace, YoiError } from "@yoi/base";
import type { KnownSecrets } from "@yoi/keep";
import { parseModelRef, type ProviderDefinition, type ResolvedManifest } from "@yoi/manifest";
import { type ProviderEntry, providers } from "@yoi/model";
import type { Environment } from "../environment.ts";
import { knownSecrets } from "../known-secrets.ts";

/** A definition as the entry that it is. Nothing of a built-in one of its name is left, its key and its variables least of all. */
export function entryOf(definition: ProviderDefinition): ProviderEntry {
  const { name, label, kind, base_url, key_variable, secret } = definition;
  return {
    name,
    label,
    kind,
    keyVariables: key_variable === null ? [] : [key_variable],
    secret,
    key: key_variable === null && secret === null ? "none" : "required",
    baseUrlVariable: null,
    baseUrl: base_url,
  };
}

export interface ProviderInForce {
  readonly entry: ProviderEntry;
  /** Where the user defines it; null: it is built in. */
  readonly origin: string | null;
}

/** The built-in ones in their order, each as the user has it, then the user's others. */
export function providersInForce(definitions: readonly ProviderDefinition[]): readonly ProviderInForce[] {
  const own = new Map(definitions.map((one) => [one.name, { entry: entryOf(one), origin: one.origin }]));
  const known = providers.map((entry) => own.get(entry.name) ?? { entry, origin: null });
  const added = [...own.values()].filter(
    ({ entry }) => !providers.some((builtIn) => builtIn.name === entry.name),
  );
  return [...known, ...added];
}

/** Throws config_invalid, with file and line, for a model that no provider in force could have. */
export function checkDefinitions({ providers: own, models }: ResolvedManifest["definitions"]): void {
  for (const { ref, origin } of models) {
    const name = parseModelRef(ref)?.provider ?? "";
    const known = providersInForce(own).find(({ entry }) => entry.name === name)?.entry;
    const fault =
      known === undefined
        ? `the provider ${name} of the model ${ref} is not known: define it below [[providers]]`
        : known.kind === "scripted"
          ? `a scripted model says in its scenario what it can do and costs: take the model ${ref} out`
          : null;
    if (fault !== null) throw new YoiError("config_invalid", `${origin}: ${fault}.`, placeOf(origin));
  }
}

function placeOf(origin: string): { readonly place: ErrorPlace } {
  const colon = origin.lastIndexOf(":");
  return { place: { path: origin.slice(0, colon), line: Number(origin.slice(colon + 1)) } };
}

/** Where requests go. */
export interface BaseUrlInForce {
  readonly url: string;
  /** What the user changes to have another, as in "check ...". */
  readonly setBy: string;
}

/** What the configuration says below [model], or a flag. */
export function configuredBaseUrl({ sources }: Pick<ResolvedManifest, "sources">): BaseUrlInForce | null {
  const found = sources.find(({ key }) => key === "model.base_url");
  if (typeof found?.value !== "string") return null;
  const { value: url, origin } = found;
  return { url, setBy: origin.startsWith("--") ? origin : `base_url in ${origin}` };
}

/** `configured`: for this provider. Null: it has none of its own, and nobody names one. */
export function baseUrlInForce(
  { entry, origin }: ProviderInForce,
  configured: BaseUrlInForce | null,
  { variables }: Pick<Environment, "variables">,
): BaseUrlInForce | null {
  if (configured !== null) return configured;
  const { name, baseUrl, baseUrlVariable } = entry;
  const named = baseUrlVariable === null ? "" : (variables[baseUrlVariable] ?? "");
  if (baseUrlVariable !== null && named !== "") return { url: named, setBy: baseUrlVariable };
  if (baseUrl === null) return null;
  const setBy = origin === null ? (baseUrlVariable ?? `the base URL of ${name}`) : `base_url in ${origin}`;
  return { url: baseUrl, setBy };
}

/** Throws config_invalid for a base URL that holds a known key: it would be kept with the Pod, and be in every bundle of it. */
export function checkBaseUrl({ url, setBy }: BaseUrlInForce, known: KnownSecrets = knownSecrets): void {
  const [key] = known.marksIn(known.redact(url));
  if (key === undefined) return;
  throw new YoiError(
    "config_invalid",
    `The base URL holds the key ${key}, and would be kept with the Pod: take it out of ${setBy}; a key is sent in a header of its own.`,
  );
}
