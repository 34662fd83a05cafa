/** Finding out from a server what the configuration does not say: its model, where nobody names one, and the window of that. */
import { cutUtf8, escapeControls, YoiError } from "@yoi/base";
import type { Host } from "@yoi/host";
import {
  builtIn,
  type FlagLayer,
  type Manifest,
  parseModelRef,
  type ResolvedManifest,
  serverProvider,
} from "@yoi/manifest";
import { type ListedModel, listModels } from "@yoi/model";
import type { Environment } from "../environment.ts";
import { sayIfSlow } from "../say-if-slow.ts";
import { checkBaseUrl, providersInForce } from "./providers.ts";
import { credentialFor } from "./secrets.ts";

/** How many models a sentence names, and how much of each. */
export const namedModelsMax = 10;
export const modelNameBytesMax = 80;

/** How long a server may take to tell the window of a model that was named: a run goes without. */
export const windowWaitMs = 2_000;

export interface FindModelRequest {
  readonly flags: FlagLayer;
  /** What a Pod that is there already was started with. */
  readonly kept: Manifest | null;
  readonly resolve: (flags: FlagLayer) => Promise<ResolvedManifest>;
  readonly environment: Environment;
  readonly host: Host;
  readonly say: (text: string) => void;
  /** Ends the wait for a server, with its reason. */
  readonly signal: AbortSignal;
}

/**
 * The configuration in force. Where a base URL is given and nobody names a model, it is the one that the server has. It is asked when a Pod starts
 * for the first time, and what it told is kept with the Pod like what was configured. Throws config_invalid when it has no model or several, and what
 * `listModels` throws.
 */
export async function resolveWithModel(request: FindModelRequest): Promise<ResolvedManifest> {
  const { flags, kept, resolve, say } = request;
  const resolved = await resolve(flags);
  if (kept !== null) return withWindow(resolved, keptWindow(resolved.manifest, kept));
  const named = resolved.sources.find(({ key }) => key === "model.ref")?.origin !== builtIn;
  if (flags.baseUrl === undefined || named) return withWindow(resolved, await toldWindow(resolved, request));
  for (const warning of resolved.warnings) say(warning);
  const { id, contextWindow } = await servedModel(flags.baseUrl, resolved, request);
  const model = `${serverProvider}/${id}`;
  if (parseModelRef(model) === null) {
    throw new YoiError(
      "config_invalid",
      `The server at ${new URL(flags.baseUrl).host} names its model ${shown(id)}, which yoi cannot keep: give it another name there.`,
    );
  }
  say(`Model ${model}, the only one of the server.`);
  return withWindow({ ...(await resolve({ ...flags, model })), warnings: [] }, contextWindow);
}

async function servedModels(
  baseUrl: string,
  { definitions }: ResolvedManifest,
  { environment, host, say, signal }: FindModelRequest,
  timeoutMs?: number,
): Promise<readonly ListedModel[]> {
  const server = providersInForce(definitions.providers).find(({ entry }) => entry.name === serverProvider);
  const apiKey =
    server === undefined ? undefined : (await credentialFor(server.entry, environment, host))?.key;
  checkBaseUrl({ url: baseUrl, setBy: "--base-url" });
  const { timers } = host;
  const options = {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  const where = URL.canParse(baseUrl) ? new URL(baseUrl).host : "the base URL";
  return sayIfSlow({ timers, say }, `Waiting for the server at ${where} to list its models.`, () =>
    listModels({ baseUrl, timers, signal, ...options }),
  );
}

/** The window of a model that was named. A server without a list may serve it all the same; that its window is guessed then, opening it says. */
async function toldWindow(resolved: ResolvedManifest, request: FindModelRequest): Promise<number | null> {
  const { model } = resolved.manifest;
  const { base_url, context_window, definition, provider_definition } = model;
  const known = context_window ?? definition?.context_window;
  if (model.provider !== serverProvider || provider_definition !== undefined) return null;
  if (base_url === undefined || known !== undefined) return null;
  try {
    const models = await servedModels(base_url, resolved, request, windowWaitMs);
    return models.find(({ id }) => id === model.id)?.contextWindow ?? null;
  } catch (error) {
    if (error instanceof YoiError) return null;
    throw error;
  }
}

async function servedModel(
  baseUrl: string,
  resolved: ResolvedManifest,
  request: FindModelRequest,
): Promise<ListedModel> {
  const models = await servedModels(baseUrl, resolved, request);
  const [only, ...others] = models;
  if (only !== undefined && others.length === 0) return only;
  const server = `The server at ${new URL(baseUrl).host}`;
  if (only === undefined)
    throw new YoiError(
      "config_invalid",
      `${server} has no model yet: load one there, or name it with -m ${serverProvider}/<id>.`,
    );
  const names = models.slice(0, namedModelsMax).map(({ id }) => shown(id));
  const more = models.length - names.length;
  throw new YoiError(
    "config_invalid",
    `${server} has ${models.length} models (${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}): choose one with -m ${serverProvider}/<id>.`,
  );
}

function shown(id: string): string {
  const line = escapeControls(id);
  const cut = cutUtf8(line, modelNameBytesMax);
  return cut.length < line.length ? `${cut}...` : cut;
}

function keptWindow({ model }: Manifest, kept: Manifest): number | null {
  const same =
    model.provider === kept.model.provider &&
    model.id === kept.model.id &&
    model.base_url === kept.model.base_url;
  return same ? (kept.model.context_window ?? null) : null;
}

/** What the user says of the window, anywhere, wins. */
function withWindow(resolved: ResolvedManifest, contextWindow: number | null): ResolvedManifest {
  const { manifest } = resolved;
  const { context_window, definition } = manifest.model;
  if (contextWindow === null || (context_window ?? definition?.context_window) !== undefined) return resolved;
  return {
    ...resolved,
    manifest: { ...manifest, model: { ...manifest.model, context_window: contextWindow } },
  };
}
