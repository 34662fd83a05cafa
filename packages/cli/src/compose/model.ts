/** Opening the model that a manifest names, with the credentials for it. */
import { isAbsolute, join } from "node:path";
import { type RequestConfig, YoiError } from "@yoi/base";
import type { Host } from "@yoi/host";
import { type ModelChoice, parseModelRef } from "@yoi/manifest";
import {
  findProvider,
  kindOfAdapter,
  type Model,
  openModel,
  type OpenedModel,
  type ProviderEntry,
} from "@yoi/model";
import type { Environment } from "../environment.ts";
import type { Account } from "../runtime/limits.ts";
import { factsOf } from "./models-in-force.ts";
import { type BaseUrlInForce, baseUrlInForce, checkBaseUrl, entryOf } from "./providers.ts";
import { readSmallFile } from "./read-small-file.ts";
import { type Credential, credentialFor } from "./secrets.ts";

/** The largest scenario, in bytes. */
export const scenarioBytesMax = 16 * 1024 * 1024;

/** A model with the account that it is asked for; null: nobody counts its requests. */
export interface ConfiguredModel extends OpenedModel {
  readonly account: Account | null;
}

/**
 * Opens the model for a run. `configured`: its base URL, where one is configured. A scenario of the scripted model is looked up from `directory`.
 * @param given to be used in the place of the key that is there.
 */
export async function openConfiguredModel(
  choice: ModelChoice,
  configured: BaseUrlInForce | null,
  environment: Environment,
  host: Host,
  directory: string,
  given?: Credential,
): Promise<ConfiguredModel> {
  const { provider, id, provider_definition: definition } = choice;
  const entry = definition === undefined ? findProvider(provider) : entryOf(definition);
  const found = given ?? (entry === null ? undefined : await credentialFor(entry, environment, host));
  const apiKey = found?.key;
  const origin = definition?.origin ?? null;
  const baseUrl = entry === null ? null : baseUrlInForce({ entry, origin }, configured, environment);
  if (baseUrl !== null) checkBaseUrl(baseUrl);
  const opened = await openModel({
    provider,
    id,
    ...(entry === null ? {} : { entry }),
    ...(found === undefined ? {} : { apiKey: found.key, apiKeyFrom: found.from }),
    ...(baseUrl === null ? {} : { baseUrl: baseUrl.url, baseUrlSetBy: baseUrl.setBy }),
    facts: factsOf(choice),
    ...(provider === "scripted" ? { scenario: await readScenario(id, directory) } : {}),
    ports: host,
  });
  const url = baseUrl?.url ?? entry?.baseUrl ?? null;
  return { ...opened, account: url === null ? null : { provider, baseUrl: url, apiKey: apiKey ?? null } };
}

/**
 * A model that lowers requests as they were lowered when they were sent; it needs neither key, scenario nor the definition of a provider, and sends
 * nothing. `adapter`: its name in the request's record, which says what kind of provider it was.
 */
export async function openForVerify(config: RequestConfig, adapter: string, host: Host): Promise<Model> {
  const ref = parseModelRef(config.model);
  if (ref === null)
    throw new YoiError("config_invalid", `${JSON.stringify(config.model)} is not the name of a model.`);
  const kind = kindOfAdapter(adapter);
  if (kind === null)
    throw new YoiError("provider_unknown", `This yoi has no adapter ${JSON.stringify(adapter)}.`);
  const { provider, id } = ref;
  const facts = { images: config.images ?? false, midSystem: config.mid_system ?? false };
  const { model } = await openModel({
    provider,
    id,
    entry: endpointless(provider, kind),
    facts,
    offline: true,
    ports: host,
  });
  return model;
}

/** What a provider of a kind is without configuration. */
function endpointless(name: string, kind: ProviderEntry["kind"]): ProviderEntry {
  const nothing = { keyVariables: [], secret: null, baseUrlVariable: null, baseUrl: null };
  return { name, label: name, kind, key: "none", ...nothing };
}

async function readScenario(
  id: string,
  directory: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const path = isAbsolute(id) ? id : join(directory, id);
  const refused = (what: string): YoiError =>
    new YoiError("config_invalid", `The scenario ${path} of the model scripted/${id} ${what}.`, {
      place: { path },
    });
  const reading = await readSmallFile(path, scenarioBytesMax);
  switch (reading.kind) {
    case "read":
      return { name: id, text: reading.text };
    case "missing":
      throw refused("does not exist: name a scenario file");
    case "not_a_file":
      throw refused("is not a regular file: name a scenario file");
    case "too_large":
      throw refused(`has more than ${scenarioBytesMax} bytes: make it smaller`);
    case "unreadable":
      throw refused(`cannot be read (${reading.code}): mend its permissions`);
  }
}
