/** Explaining: what an SDK threw or reported, as a failure. */
import type { APICallError } from "@ai-sdk/provider";
import { isJsonObject, messageOf, type JsonObject } from "@yoi/base";
import { apiFailure, brokenStream, failure, networkFailure, quote, type Endpoint } from "../failure.ts";
import type { ModelFailure } from "../model.ts";
import { objectAt } from "./json-field.ts";

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

/**
 * The error in a body or in a frame: alone, in `error`, in the `response` that failed, and each of them as the first of an array, as Google
 * sends it, also through others' protocols.
 */
function errorIn(body: unknown): JsonObject | null {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(first)) return null;
  const { error } = isJsonObject(first["response"]) ? first["response"] : first;
  if (typeof error === "string") return { message: error };
  return isJsonObject(error) ? error : first;
}

/** The names that an error has, most exact first: providers call them code, type or status. */
function namesOf(error: JsonObject | null): string[] {
  return [error?.["code"], error?.["type"], error?.["status"]].filter((name) => typeof name === "string");
}

/** Where an error is, apart from its message: OpenAI's parameter, Google's fields, and the steps of a path that servers on pydantic write. */
function placesOf(error: JsonObject | null): { at?: readonly string[] } {
  const parameter = text(error?.["param"]);
  const details = [error?.["details"], error?.["detail"]].flatMap((list): readonly unknown[] =>
    Array.isArray(list) ? list : [],
  );
  const at = details.filter(isJsonObject).flatMap((detail) => {
    const { fieldViolations: fields, loc } = detail;
    const steps = Array.isArray(loc) ? [loc.slice(loc[0] === "body" ? 1 : 0).join(".")] : [];
    return [...(Array.isArray(fields) ? fields : []).map((one) => text(Object(one)["field"])), ...steps];
  });
  const known = [parameter, ...at].filter((place): place is string => Boolean(place));
  return known.length === 0 ? {} : { at: known };
}

/** What Google's details say of when to come back (`"retryDelay": "7.5s"`), as the header would say it. */
function retryAfterOf(error: JsonObject | null): { "retry-after"?: string } {
  const details: readonly unknown[] = Array.isArray(error?.["details"]) ? error["details"] : [];
  for (const detail of details) {
    const delay = isJsonObject(detail) ? text(detail["retryDelay"]) : undefined;
    const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? "") ?? [];
    if (seconds !== undefined) return { "retry-after": seconds };
  }
  return {};
}

/** The headers that a gateway such as OpenRouter puts into the body of its error, as headers are read. */
function headersIn(error: JsonObject | null): { readonly [name: string]: string } {
  const told = Object.entries(objectAt(objectAt(error, "metadata"), "headers") ?? {});
  return Object.fromEntries(
    told.flatMap(([name, value]) => (typeof value === "string" ? [[name.toLowerCase(), value]] : [])),
  );
}

/** What a gateway such as OpenRouter was told itself: its own words are "Provider returned error". */
function passedOn(error: JsonObject | null): string[] {
  const raw = text(objectAt(error, "metadata")?.["raw"]);
  if (raw === undefined) return [];
  return [text(errorIn(parsed(raw))?.["message"]) ?? raw];
}

/** An HTTP error, or an error event that came before anything else (then the status is the one that its type stands for). */
export function explainApiError(endpoint: Endpoint, error: APICallError, nowMs: number): ModelFailure {
  if (error.statusCode === undefined) return networkFailure(endpoint, error);
  if (error.statusCode < 300) return brokenStream(endpoint, quote(endpoint, error.message));
  const inner = errorIn(parsed(error.responseBody));
  const reported = {
    status: error.statusCode,
    names: namesOf(inner),
    // Of a body that is not quite what the SDK expects it tells the status line only.
    message: [text(inner?.["message"]) ?? text(inner?.["detail"]) ?? error.message, ...passedOn(inner)].join(
      ": ",
    ),
    ...placesOf(inner),
    headers: { ...headersIn(inner), ...retryAfterOf(inner), ...error.responseHeaders },
  };
  return apiFailure(endpoint, reported, nowMs);
}

/** The `error` part of a stream that had begun: the provider's own error event, or a frame that is none of its events. */
export function explainErrorPart(endpoint: Endpoint, error: unknown, nowMs: number): ModelFailure {
  const event = error instanceof Error ? unreadError(error) : error;
  if (isJsonObject(event)) {
    const status = [event["statusCode"], event["code"]].map(Number).find((code) => code >= 400 && code < 600);
    const reported = {
      status,
      names: namesOf(event),
      message: text(event["message"]) ?? "",
      ...placesOf(event),
      headers: retryAfterOf(isJsonObject(event["data"]) ? event["data"] : event),
    };
    return apiFailure(endpoint, reported, nowMs);
  }
  return brokenStream(
    endpoint,
    `a frame could not be read (${quote(endpoint, messageOf(error).split("\n", 1)[0] ?? "")})`,
  );
}

/** The error in a frame that the SDK could not read because it is not quite what it expects. */
function unreadError(error: Error): JsonObject | null {
  const frame = "value" in error ? error.value : null;
  const inner = errorIn(frame);
  return inner === null || inner === (Array.isArray(frame) ? frame[0] : frame) ? null : inner;
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
