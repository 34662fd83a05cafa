/** Failures: what a provider or the network did, as data with one sentence for a person. */
import { cutUtf8, escapeControls, messageOf } from "@yoi/base";
import type { FailureKind, ModelFailure } from "./model.ts";
import { refusedPart, refusedParts, refusedPlaces } from "./refused-part.ts";
import { askedWaitMs, limitWaitMs } from "./wire/reset-time.ts";

/** What failures say of where they happened. `secret` is taken out of every text that came from outside. */
export interface Endpoint {
  /** The provider's name as people know it. */
  readonly label: string;
  readonly host: string;
  readonly model: string;
  readonly keyVariable: string;
  readonly baseUrlVariable: string;
  readonly secret: string;
}

/** How much of a provider's own words a failure quotes. */
export const quotedBytesMax = 512;

/** Foreign text made fit for a sentence: no secret, no control characters, one line, bounded. */
export function quote(endpoint: Endpoint, text: string): string {
  const safe = endpoint.secret === "" ? text : text.replaceAll(endpoint.secret, "[key]");
  const line = escapeControls(safe.replace(/\s+/g, " ").trim()).replace(/[.\s]+$/, "");
  const cut = cutUtf8(line, quotedBytesMax);
  return cut.length < line.length ? `${cut}...` : cut;
}

export function failure(kind: FailureKind, message: string, retryable: boolean): ModelFailure {
  return { kind, message, retryable };
}

export const cancelled: ModelFailure = failure("cancelled", "The request was cancelled.", false);

/** A refusal as the provider reported it: an HTTP error, or an error event in the stream. */
export interface ApiError {
  /** HTTP status; the one that its type stands for when it came in the stream. */
  readonly status: number | undefined;
  /** What the provider calls it, most exact first; unknown ones are passed over. */
  readonly names: readonly string[];
  readonly message: string;
  /** Where in the request it says the error is, apart from its message; absent: nothing. */
  readonly at?: readonly string[];
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string | undefined };
}

const kindOfName: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  // Anthropic
  ["authentication_error", "auth"],
  ["permission_error", "auth"],
  ["billing_error", "auth"],
  ["rate_limit_error", "rate_limit"],
  ["overloaded_error", "overloaded"],
  ["api_error", "server"],
  ["timeout_error", "timeout"],
  ["not_found_error", "not_found"],
  ["request_too_large", "context_overflow"],
  ["invalid_request_error", "invalid_request"],
  // OpenAI, and servers that speak its language
  ["invalid_api_key", "auth"],
  ["insufficient_quota", "auth"],
  ["rate_limit_exceeded", "rate_limit"],
  ["server_is_overloaded", "overloaded"],
  ["slow_down", "overloaded"],
  ["server_error", "server"],
  ["model_not_found", "not_found"],
  ["context_length_exceeded", "context_overflow"],
  ["exceed_context_size_error", "context_overflow"],
  ["unavailable_error", "overloaded"],
  // Google
  ["UNAUTHENTICATED", "auth"],
  ["PERMISSION_DENIED", "auth"],
  ["RESOURCE_EXHAUSTED", "rate_limit"],
  ["UNAVAILABLE", "overloaded"],
  ["INTERNAL", "server"],
  ["DEADLINE_EXCEEDED", "timeout"],
  ["NOT_FOUND", "not_found"],
  ["INVALID_ARGUMENT", "invalid_request"],
  ...[...refusedParts.keys()].map((name) => [name, "invalid_request"] as const),
]);

const overflow =
  /prompt is too long|context (?:window|limit|length|size)|context_length_exceeded|maximum (?:context|number of tokens)|too many tokens/i;
/** Google answers 400 to a key that it does not know. */
const badKey = /api key (?:not valid|expired|not found)/i;

function kindOfStatus(status: number | undefined): FailureKind {
  if (status === undefined) return "server";
  if (status === 401 || status === 402 || status === 403) return "auth";
  if (status === 404) return "not_found";
  if (status === 408 || status === 504) return "timeout";
  if (status === 413) return "context_overflow";
  if (status === 425 || status === 429) return "rate_limit";
  if (status === 529 || status === 503) return "overloaded";
  return status >= 500 ? "server" : "invalid_request";
}

function kindOf(error: ApiError): FailureKind {
  const named = error.names.map((name) => kindOfName.get(name)).find((kind) => kind !== undefined);
  const ofStatus = kindOfStatus(error.status);
  // Some servers have one name for whatever goes wrong, or for whatever is wrong with a request: then the status tells more.
  const general = error.status !== undefined && (named === "server" || named === "invalid_request");
  const kind = named === undefined || general ? ofStatus : named;
  if (kind !== "invalid_request") return kind;
  if (overflow.test(error.message)) return "context_overflow";
  return badKey.test(error.message) ? "auth" : kind;
}

/** 501 and 505 are about what was asked; every other 5xx may pass. */
function statusPasses(status: number): boolean {
  return (
    status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505)
  );
}

const passing: ReadonlySet<FailureKind> = new Set(["rate_limit", "overloaded", "server", "timeout"]);

function advice(kind: FailureKind, endpoint: Endpoint): string {
  switch (kind) {
    case "auth":
      return `check ${endpoint.keyVariable} and what the account may use`;
    case "rate_limit":
      return "wait, or ask the provider for a higher limit";
    case "overloaded":
    case "server":
    case "timeout":
    case "stream_broken":
      return "try again later";
    case "context_overflow":
      return "shorten the session or choose a model with a larger window";
    case "not_found":
      return `check the model id and ${endpoint.baseUrlVariable}`;
    case "invalid_request":
      return "change the request as it says";
    case "network":
      return `check the network and ${endpoint.baseUrlVariable}`;
    case "cancelled":
      return "start it again";
  }
}

const whatHappened: { readonly [kind in FailureKind]: string } = {
  auth: "refused the credentials",
  rate_limit: "limits the rate of requests",
  overloaded: "is overloaded",
  server: "failed",
  timeout: "timed out",
  context_overflow: "says the request is too long for the model",
  not_found: "does not know what was asked for",
  invalid_request: "refused the request",
  network: "cannot be reached",
  stream_broken: "broke off its answer",
  cancelled: "was cancelled",
};

/** The failure for a provider's refusal. `nowMs`: the time that an HTTP date in Retry-After is measured from. */
export function apiFailure(endpoint: Endpoint, error: ApiError, nowMs: number): ModelFailure {
  const kind = kindOf(error);
  const subject = kind === "not_found" ? ` (model ${quote(endpoint, endpoint.model)})` : "";
  const status = error.status === undefined ? [] : [`status ${error.status}`];
  const words = quote(endpoint, error.message);
  const said = [...status, ...(words === "" ? [] : [`"${words}"`])].join(", ");
  // Other refusals come with the state of the limits too, and have nothing to do with it.
  const waitMs = kind === "rate_limit" ? limitWaitMs : askedWaitMs;
  const retryAfterMs = waitMs(error.headers, nowMs);
  const about = refusedOf(kind, error);
  return {
    kind,
    message: `${endpoint.label} at ${endpoint.host} ${whatHappened[kind]}${subject}${said === "" ? "" : ` (${said})`}; ${advice(kind, endpoint)}.`,
    retryable: passing.has(kind) && (error.status === undefined || statusPasses(error.status)),
    ...(error.status !== undefined && { status: error.status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...about,
  };
}

/** A body that is too large may be so because of an image, and say so. */
function refusedOf(kind: FailureKind, error: ApiError): Pick<ModelFailure, "about" | "at"> {
  if (kind !== "invalid_request" && error.status !== 413) return {};
  const texts = [error.message, ...(error.at ?? [])];
  const about = refusedPart(error.names, texts.join(" "));
  if (about === null) return {};
  const at = refusedPlaces(about, texts);
  return at.length === 0 ? { about } : { about, at };
}

/** The stream ended or went wrong after the provider had accepted the request. */
export function brokenStream(endpoint: Endpoint, what: string, retryable = true): ModelFailure {
  return failure(
    "stream_broken",
    `${endpoint.label} at ${endpoint.host} broke off its answer: ${what}; try again later.`,
    retryable,
  );
}

/** No answer came at all: refused, unresolved, reset, or not to be trusted. */
export function networkFailure(endpoint: Endpoint, error: unknown): ModelFailure {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "EPROTO") {
    // OpenSSL's message is an address, a routine and a source line around the reason.
    const reason = /:SSL routines:[^:]*:([^:]+):/.exec(messageOf(error))?.[1] ?? messageOf(error);
    return failure(
      "network",
      `${endpoint.label} at ${endpoint.host} cannot be reached over https (${quote(endpoint, reason)}); the port may speak plain http, check ${endpoint.baseUrlVariable}.`,
      false,
    );
  }
  const words = quote(
    endpoint,
    code === "" ? messageOf(error) : `${code} ${messageOf(error).replace(code, "")}`,
  );
  const trusted = !/CERT|SSL|TLS|SELF_SIGNED|VERIFY/.test(code);
  return failure(
    "network",
    `${endpoint.label} at ${endpoint.host} cannot be reached (${words}); ${advice("network", endpoint)}.`,
    trusted,
  );
}
