/** Providers in force: those that yoi knows, and those that the user's own file adds or puts in their place. */
import { type ErrorPlace, YoiError } from "@yoi/base";
import { parseModelRef, type ProviderDefinition, type ResolvedManifest } from "@yoi/manifest";
import { type ProviderEntry, providers } from "@yoi/model";
import type { Environment } from "../environment.ts";

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

/** The base URL that the environment names for a provider. */
export function environmentBaseUrl(
  { baseUrlVariable }: ProviderEntry,
  { variables }: Environment,
): string | undefined {
  return (baseUrlVariable === null ? undefined : variables[baseUrlVariable]) || undefined;
}
