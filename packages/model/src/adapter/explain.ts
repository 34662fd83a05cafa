/** Explaining: what an SDK threw or reported, as a failure. */
import type { APICallError } from "@ai-sdk/provider";
import { isJsonObject, messageOf } from "@yoi/base";
import { apiFailure, brokenStream, failure, networkFailure, quote, type Endpoint } from "../failure.ts";
import type { ModelFailure } from "../model.ts";

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function parsed(json: string | undefined): unknown {
  if (json === undefined) return null;
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The names that an error has, most exact first: providers call them code, type or status. */
function namesOf(error: unknown): string[] {
  if (!isJsonObject(error)) return [];
  return [error["code"], error["type"], error["status"]].filter((name) => typeof name === "string");
}

/** An HTTP error, or an error event that came before anything else (then the status is the one that its type stands for). */
export function explainApiError(endpoint: Endpoint, error: APICallError, nowMs: number): ModelFailure {
  if (error.statusCode === undefined) return networkFailure(endpoint, error);
  if (error.statusCode < 300) return brokenStream(endpoint, quote(endpoint, error.message));
  const body = parsed(error.responseBody);
  const inner = isJsonObject(body) && isJsonObject(body["error"]) ? body["error"] : body;
  const reported = {
    status: error.statusCode,
    names: namesOf(inner),
    message: error.message,
    headers: error.responseHeaders ?? {},
  };
  return apiFailure(endpoint, reported, nowMs);
}

/** The `error` part of a stream that had begun: the provider's own error event, or a frame that is none of its events. */
export function explainErrorPart(endpoint: Endpoint, error: unknown, nowMs: number): ModelFailure {
  if (isJsonObject(error) && !(error instanceof Error)) {
    const status = typeof error["statusCode"] === "number" ? error["statusCode"] : undefined;
    const reported = {
      status,
      names: namesOf(error),
      message: text(error["message"]) ?? "",
      headers: {},
    };
    return apiFailure(endpoint, reported, nowMs);
  }
  return brokenStream(
    endpoint,
    `a frame could not be read (${quote(endpoint, messageOf(error).split("\n", 1)[0] ?? "")})`,
  );
}

/** The adapter would not build the request: nothing was sent. */
export function unsendable(endpoint: Endpoint, error: unknown): ModelFailure {
  const why = quote(endpoint, messageOf(error));
  return failure(
    "invalid_request",
    `The request could not be put into words for ${endpoint.label} (${why}); change the model's settings.`,
    false,
  );
}
