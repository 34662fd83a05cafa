/** FirstRun: whether a Pod could ask a model here, and what is needed for it: a key, a model, or the demo that needs neither. */
import { YoiError } from "@yoi/base";
import { findProvider } from "@yoi/model";
import type { ResolvedManifest } from "@yoi/manifest";
import type { FirstRun, ProviderChoice } from "@yoi/tui";
import type { Reach } from "../client/pod-command.ts";
import { configSources, resolveConfiguration } from "../compose/configuration.ts";
import { keyFrom, secretIds } from "../compose/key-places.ts";
import { modelsInForce } from "../compose/models-in-force.ts";
import { openConfiguredModel } from "../compose/model.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import { configuredBaseUrl, entryOf, type ProviderInForce, providersInForce } from "../compose/providers.ts";
import { type Credential, credentialOf, openSecretStore } from "../compose/secrets.ts";
import { knownSecrets } from "../known-secrets.ts";
import { askModel } from "./ask-model.ts";
import { demoModel, writeDemo } from "./demo-model.ts";
import { keepModel } from "./keep-model.ts";

/** Where a key is made. */
const keyPlaces: { readonly [provider: string]: string } = {
  anthropic: "a key is made at https://console.anthropic.com/settings/keys",
  openai: "a key is made at https://platform.openai.com/api-keys",
  google: "a key is made at https://aistudio.google.com/apikey",
  openrouter: "a key is made at https://openrouter.ai/settings/keys",
};

export interface FirstRunParts {
  readonly reach: Reach;
  readonly workspace: string;
  /** Of the command line. */
  readonly flags: Pick<PodFlags, "model" | "baseUrl">;
  /** Told of the model that Pods which are begun from here take, until another one is chosen. */
  readonly chosen: (model: string) => void;
}

export function makeFirstRun(parts: FirstRunParts): FirstRun {
  const { reach, workspace, flags, chosen } = parts;
  const { environment, stores } = reach;
  const { host, dataDir } = stores;
  const resolve = (model?: string): Promise<ResolvedManifest> =>
    resolveConfiguration(environment, workspace, {
      ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
      ...(model === undefined ? {} : { model }),
    });
  return {
    needed: async () => {
      const resolved = await resolve(flags.model);
      // Which model it has, the server says.
      if (flags.baseUrl !== undefined) return null;
      const { provider, id, provider_definition: own } = resolved.manifest.model;
      const entry = own === undefined ? findProvider(provider) : entryOf(own);
      if (entry === null || entry.key !== "required") return null;
      const secrets = await secretIds(environment, host, []);
      if (keyFrom(entry, environment, secrets) !== null) return null;
      return `There is no key for ${entry.label}, which has the model ${provider}/${id}.`;
    },
    providers: async () => {
      const resolved = await resolve();
      const secrets = await secretIds(environment, host, []);
      const known = modelsInForce({
        providers: providersInForce(resolved.definitions.providers),
        definitions: resolved.definitions.models,
        chosen: resolved.manifest.model,
        nowMs: host.clock.now(),
      });
      const choices = providersInForce(resolved.definitions.providers)
        .filter(({ entry }) => entry.kind !== "scripted")
        .map(({ entry, origin }): ProviderChoice => ({
          name: entry.name,
          hint: hintOf({ entry, origin }, configuredBaseUrl(resolved)?.url ?? null),
          needsKey: entry.key === "required",
          keyIn: keyFrom(entry, environment, secrets),
          takesKey:
            entry.secret !== null &&
            entry.keyVariables.every((variable) => credentialOf(variable, environment) === undefined),
          models: known.filter(({ provider }) => provider === entry.name).map(({ ref }) => ref),
        }));
      return [...choices, demoChoice(dataDir)];
    },
    keepKey: async (provider, key) => {
      const resolved = await resolve();
      const found = providersInForce(resolved.definitions.providers).find(
        ({ entry }) => entry.name === provider,
      );
      const secret = found?.entry.secret ?? null;
      if (found === undefined || secret === null) throw keptElsewhere(provider, found);
      const value = key.trim();
      if (value === "") throw new YoiError("usage", "The key is empty: paste it, or go back with Esc.");
      knownSecrets.learn({ id: secret, value });
      await openSecretStore(environment, host).set(secret, value);
    },
    test: async (model, key, signal) => {
      if (model === demoModel(dataDir)) await writeDemo(host.files, dataDir);
      const resolved = await resolve(model);
      const { model: opened } = await openConfiguredModel(
        resolved.manifest.model,
        configuredBaseUrl(resolved),
        environment,
        host,
        workspace,
        key === null ? undefined : given(key),
      );
      try {
        return await askModel(opened, signal);
      } finally {
        await opened.close?.();
      }
    },
    keepModel: async (model) => {
      // Nobody wants it the next time: what keeps it is this program alone.
      if (model === demoModel(dataDir)) {
        chosen(model);
        return await writeDemo(host.files, dataDir);
      }
      const path = await keepModel(host.files, configSources(environment, workspace).user, model);
      const { manifest, sources } = await resolve();
      if (`${manifest.model.provider}/${manifest.model.id}` === model) return path;
      const origin = sources.find(({ key }) => key === "model.ref")?.origin ?? "another file";
      throw new YoiError(
        "config_invalid",
        `${path} says ${model} now, but ${origin} says another model for this directory: take that line out, or begin Pods with -m ${model}.`,
      );
    },
  };
}

/** The models of the catalog stand in its order; what a server has, nobody knows before it is asked. */
function hintOf({ entry, origin }: ProviderInForce, configured: string | null): string {
  if (origin !== null) return `${entry.label}, from ${origin}`;
  const place = keyPlaces[entry.name];
  if (place !== undefined) return `${entry.label}: ${place}`;
  const url = configured ?? "http://127.0.0.1:11434/v1";
  return `your own server: leave, and begin \`yoi --base-url ${url}\``;
}

/** One that is tried before it is kept. */
function given(key: string): Credential {
  knownSecrets.learn({ id: "the given key", value: key });
  return { key, from: "the key that you gave" };
}

function demoChoice(dataDir: string): ProviderChoice {
  return {
    name: "scripted",
    hint: "Offline demo: no model answers, a script does; no account, no key, no network",
    needsKey: false,
    keyIn: null,
    takesKey: false,
    models: [demoModel(dataDir)],
  };
}

function keptElsewhere(provider: string, found: ProviderInForce | undefined): YoiError {
  if (found === undefined)
    return new YoiError("provider_unknown", `There is no provider ${JSON.stringify(provider)}.`);
  const [variable] = found.entry.keyVariables;
  return new YoiError(
    "usage",
    variable === undefined
      ? `The provider ${provider} takes no key.`
      : `The provider ${provider} takes its key from the variable ${variable}: export it, and start yoi again.`,
  );
}
