/** ApprovalRecord: what the user decided about a feature, for exactly one digest; its shape, its limits, and its bytes. */
import { isJsonObject, jsonDepthMax, type JsonObject, YoiError } from "@yoi/base";
import { idProblem } from "./file-name.ts";
import { isJson } from "./json-value.ts";
import { sealJson, unsealJson } from "./sealed-json.ts";

/** Of the readable text, in UTF-8. */
export const subjectBytesMax = 256 * 1024;
export const grantsMax = 64;
/** Of all grants together, as JSON. */
export const grantsBytesMax = 512 * 1024;
/** A subject of control characters alone takes six times its size in JSON; the rest is for the fields around it. */
export const approvalFileBytesMax = 6 * subjectBytesMax + grantsBytesMax + 64 * 1024;

const schema = 1;

export interface ApprovalDecision {
  /** The id of the feature. */
  readonly feature: string;
  /** SHA-256 of what was decided about, 64 hex digits: with another one it is another feature, about which nothing was decided. */
  readonly digest: string;
  /** The authorities that it gets, each an object with a `kind`. */
  readonly granted: readonly JsonObject[];
  /** The text that the user was shown, so that a later one can be compared with it. */
  readonly subject: string;
}

export interface ApprovalRecord extends ApprovalDecision {
  /** UTC, as `2026-01-01T00:00:00.000Z`. */
  readonly decided_at: string;
}

/** Throws `usage` for what is no id, and for a decision that says nothing whole; `limit_exceeded` for one that is too large. */
export function checkDecision({ feature, digest, granted, subject }: ApprovalDecision): void {
  checkFeature(feature);
  const refuse = (code: "usage" | "limit_exceeded", what: string): never => {
    throw new YoiError(code, `The approval of ${feature} cannot be kept: ${what}.`);
  };
  if (!isDigest(digest)) refuse("usage", "its digest is not 64 hex digits");
  if (!granted.every(isGrant)) refuse("usage", "what is granted is not all objects with a kind");
  if (typeof subject !== "string" || !subject.isWellFormed()) refuse("usage", "its subject is not text");
  if (granted.length > grantsMax) refuse("limit_exceeded", `it grants more than ${grantsMax} authorities`);
  if (Buffer.byteLength(JSON.stringify(granted)) > grantsBytesMax)
    refuse("limit_exceeded", `what it grants has more than ${grantsBytesMax} bytes`);
  if (Buffer.byteLength(subject) > subjectBytesMax)
    refuse("limit_exceeded", `its subject has more than ${subjectBytesMax} bytes`);
}

export function checkFeature(feature: string): void {
  const problem = idProblem(feature);
  if (problem !== null)
    throw new YoiError("usage", `The id of a feature ${problem}: use one like project:lint.`);
}

export function encodeApproval({
  feature,
  digest,
  decided_at,
  granted,
  subject,
}: ApprovalRecord): Uint8Array {
  return Buffer.from(`${sealJson({ schema, feature, digest, decided_at, granted, subject })}\n`);
}

/** `newer`: written by a later yoi. `wrong` completes the sentence "it is damaged: ...". */
export type DecodedApproval =
  | { readonly record: ApprovalRecord }
  | { readonly newer: true }
  | { readonly wrong: string };

export function decodeApproval(bytes: Uint8Array): DecodedApproval {
  const text = Buffer.from(bytes).toString("utf8");
  if (!text.endsWith("\n")) return { wrong: "its end is missing" };
  const unsealed = unsealJson(text.slice(0, -1));
  if ("wrong" in unsealed) return unsealed;
  const { schema: written, feature, digest, decided_at, granted, subject } = unsealed.fields;
  if (typeof written === "number" && written > schema) return { newer: true };
  if (
    written !== schema ||
    typeof feature !== "string" ||
    !isDigest(digest) ||
    typeof decided_at !== "string" ||
    !Array.isArray(granted) ||
    !granted.every(isGrant) ||
    typeof subject !== "string"
  )
    return { wrong: "a field is missing or of another kind" };
  return { record: { feature, digest, decided_at, granted, subject } };
}

function isDigest(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isGrant(value: unknown): value is JsonObject {
  // It stands in a list: what is too deep there would not be read back.
  return isJson(value, jsonDepthMax - 1) && isJsonObject(value) && typeof value["kind"] === "string";
}
