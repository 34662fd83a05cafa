/** GrantRecord: an answer of the user that counts until it is taken back; its shape, its limits, and its bytes. */
import { YoiError } from "@yoi/base";
import { sealJson, unsealJson } from "./sealed-json.ts";

/** Characters of a rule. */
export const grantRuleCharsMax = 4_096;
/** Characters of what it was given for: a longer one is cut. */
export const grantAboutCharsMax = 1_024;
/** A text of control characters alone takes six times its size in JSON; the rest is for the fields around it. */
export const grantFileBytesMax = 6 * (2 * grantRuleCharsMax + grantAboutCharsMax) + 8 * 1024;

const schema = 1;
const ids = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * pending: it stands here before the answer is on record in the Pod's log, and lets nothing through. given: the answer is on record. So no grant counts whose
 * record a crash took away.
 */
export type GrantState = "pending" | "given";

export interface GrantRecord {
  /** UUID. */
  readonly id: string;
  readonly state: GrantState;
  /** As a person reads it; what it lets through is for whoever judges calls to say. */
  readonly rule: string;
  /** Canonical; null: in every workspace. */
  readonly workspace: string | null;
  /** Milliseconds since the epoch; null: until it is taken back. */
  readonly expires: number | null;
  /** The same of when it was given. */
  readonly given: number;
  /** The Pod that asked, and the digest of what it asked about. */
  readonly pod: string;
  readonly digest: string;
  /** The call that it was given for, for people: its tool, and the start of its arguments. */
  readonly tool: string;
  readonly about: string;
}

export function isGrantId(id: string): boolean {
  return ids.test(id);
}

/** Throws `usage` for a record that says nothing whole, `limit_exceeded` for a rule that is too long. */
export function checkGrant(grant: GrantRecord): void {
  const { id, rule } = grant;
  if (rule.length > grantRuleCharsMax)
    throw new YoiError(
      "limit_exceeded",
      `The rule has ${rule.length} characters, and at most ${grantRuleCharsMax} are kept: allow the call once.`,
    );
  const wrong = problemOf({ ...grant });
  if (wrong !== null) throw new YoiError("usage", `The grant ${id} cannot be kept: ${wrong}.`);
}

export function encodeGrant(grant: GrantRecord): Uint8Array {
  const { id, state, rule, workspace, expires, given, pod, digest, tool, about } = grant;
  const cut = about.slice(0, grantAboutCharsMax).toWellFormed();
  const fields = { schema, id, state, rule, workspace, expires, given, pod, digest, tool, about: cut };
  return Buffer.from(`${sealJson(fields)}\n`);
}

/** `newer`: written by a later yoi. `wrong` completes the sentence "it is damaged: ...". */
export type DecodedGrant =
  | { readonly grant: GrantRecord }
  | { readonly newer: true }
  | { readonly wrong: string };

export function decodeGrant(bytes: Uint8Array): DecodedGrant {
  const text = Buffer.from(bytes).toString("utf8");
  if (!text.endsWith("\n")) return { wrong: "its end is missing" };
  const unsealed = unsealJson(text.slice(0, -1));
  if ("wrong" in unsealed) return unsealed;
  const { schema: written, sum: _, ...fields } = unsealed.fields;
  if (typeof written === "number" && written > schema) return { newer: true };
  if (written !== schema || !isGrant(fields)) return { wrong: "a field is missing or of another kind" };
  const { id, state, rule, workspace, expires, given, pod, digest, tool, about } = fields;
  return { grant: { id, state, rule, workspace, expires, given, pod, digest, tool, about } };
}

type Fields = Readonly<Record<string, unknown>>;

function isGrant(fields: unknown): fields is GrantRecord {
  return problemOf(Object(fields) as Fields) === null;
}

/** As the end of a sentence. */
function problemOf(fields: Fields): string | null {
  const { id, state, rule, workspace, expires, given, pod, digest, tool, about } = fields;
  if (typeof id !== "string" || !isGrantId(id)) return "its id is no UUID";
  if (state !== "pending" && state !== "given") return "it is neither pending nor given";
  if (!isText(rule) || rule === "" || rule.length > grantRuleCharsMax) return "its rule is no text";
  if (workspace !== null && !(isText(workspace) && workspace.startsWith("/")))
    return "its workspace is no absolute path";
  if (expires !== null && !isTime(expires)) return "its end is no time";
  if (!isTime(given)) return "when it was given is no time";
  if (![pod, digest, tool, about].every(isText)) return "what it was given for is not said";
  return null;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
