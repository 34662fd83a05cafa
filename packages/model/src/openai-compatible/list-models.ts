/** listModels: which models an OpenAI-compatible server has, in its own words. */
import { isJsonObject, type JsonValue, type Timers, YoiError } from "@yoi/base";
import { type Endpoint, networkFailure } from "../failure.ts";
import { baseUrl } from "../wire/base-url.ts";
import type { JsonAnswer } from "../wire/get-json.ts";

/** A server of one's own answers at once. */
export const modelListTimeoutMs = 10_000;
/** Enough for the list of a gateway to all models there are. */
export const modelListBytesMax = 8 * 1024 * 1024;

export interface ListedModel {
  readonly id: string;
  /** Tokens; null: the server does not tell. */
  readonly contextWindow: number | null;
}

export interface ListModelsOptions {
  /** As the user wrote it. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly timers: Timers;
  /** Default: `modelListTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Ends the wait; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * The models that can answer, in the server's order. Throws config_invalid for a base URL that is none or leads to no list of models,
 * credentials_missing when the server wants another key, model_failed when it gives no answer.
 */
export async function listModels(options: ListModelsOptions): Promise<readonly ListedModel[]> {
  const base = baseUrl(options.baseUrl, "openai-compatible", "--base-url");
  const url = new URL(`${base.href}/models`);
  const { status, body } = await ask(url, options);
  const server = `The server at ${url.host}`;
  if (status === 401 || status === 403) {
    throw new YoiError(
      "credentials_missing",
      `${server} lists its models only for a key of its own (status ${status}): store it with \`yoi secret set providers/openai-compatible/default\`.`,
    );
  }
  if (status >= 500) {
    throw new YoiError(
      "model_failed",
      `${server} cannot list its models (status ${status}): try again later, or name one with -m openai-compatible/<id>.`,
    );
  }
  const entries = status === 200 ? entriesOf(body) : null;
  if (entries === null) {
    const what = status === 200 ? "something else than a list of models" : `status ${status}`;
    throw new YoiError(
      "config_invalid",
      `${server} answers GET ${url.pathname} with ${what}: check --base-url, which ends in /v1 for most servers, or name the model with -m openai-compatible/<id>.`,
    );
  }
  return chatModels(entries.flatMap(listed));
}

async function ask(
  url: URL,
  { apiKey, timers, timeoutMs = modelListTimeoutMs, signal }: ListModelsOptions,
): Promise<JsonAnswer> {
  // Most starts ask no server, and need no HTTP before their first request.
  const { getJson } = await import("../wire/get-json.ts");
  try {
    return await getJson(url, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      timers,
      timeoutMs,
      bytesMax: modelListBytesMax,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const endpoint: Endpoint = {
      label: "The server",
      host: url.host,
      model: "",
      keyVariable: "",
      baseUrlVariable: "--base-url",
      secret: apiKey ?? "",
    };
    throw new YoiError("model_failed", networkFailure(endpoint, error).message, { cause: error });
  }
}

/** `{data: [...]}`, or the bare list that some gateways give. */
function entriesOf(body: unknown): readonly JsonValue[] | null {
  const list: unknown = isJsonObject(body) ? body["data"] : body;
  return Array.isArray(list) ? (list as readonly JsonValue[]) : null;
}

function listed(entry: JsonValue): ListedModel[] {
  if (!isJsonObject(entry)) return [];
  const { id } = entry;
  return typeof id === "string" && id !== "" ? [{ id, contextWindow: windowOf(entry) }] : [];
}

/** vLLM and SGLang, OpenRouter and Together, Groq, Mistral; then what llama.cpp runs with, or else what the model was trained for. */
const windowFields = ["max_model_len", "context_length", "context_window", "max_context_length"] as const;
const metaFields = ["n_ctx", "n_ctx_train"] as const;

function windowOf(entry: { readonly [field: string]: JsonValue | undefined }): number | null {
  const { meta } = entry;
  const told = [
    ...windowFields.map((field) => entry[field]),
    ...metaFields.map((field) => (isJsonObject(meta) ? meta[field] : undefined)),
  ];
  const tokens = told.find((value) => typeof value === "number" && Number.isSafeInteger(value) && value > 0);
  return typeof tokens === "number" ? tokens : null;
}

/** Embedding models stand in the same list. An id once. */
function chatModels(all: readonly ListedModel[]): readonly ListedModel[] {
  const models = [...new Map(all.map((model) => [model.id, model])).values()];
  return models.filter(({ id }) => !/embed/i.test(id));
}
