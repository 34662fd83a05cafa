/** Credentials taken out of an entry before it is encoded: every text from outside is looked through, yoi's own words are left. */
import type { EntryBody } from "@yoi/base";

/** Gives the same string when there is nothing to take out. What it puts in needs no escape in JSON. */
export type Redact = (text: string) => string;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields of an entry with ids, digests and words of yoi. A word that happens to be a credential would break the log. `tools`: they are
 * yoi's own, and their digest stands beside them.
 */
const ownFields = new Set([
  "session_id",
  "segment_id",
  "compacted_from",
  "forked_from",
  "left",
  "purpose",
  "spent",
  "calibration",
  "measured",
  "submissions",
  "of",
  "id",
  "part",
  "outcome",
  "compactor",
  "config",
  "trigger",
  "call",
  "digest",
  "tools",
  "adapter",
  "projection",
  "reason",
  "answer",
  "result",
  "block",
  "finish",
  "code",
  "version",
  "domain",
  "when",
]);
/** Kinds whose `reason` is no word of yoi's, but a sentence for people. */
const toldReasons: ReadonlySet<EntryBody["kind"]> = new Set(["approval_asked", "approval_answered"]);
/** The same further down. Images are bytes: with a part of them replaced they would be none. */
const ownNested = new Set([
  "type",
  "kind",
  "call",
  "status",
  "refusal",
  "provider",
  "model",
  "sha256",
  "method",
  "images",
]);
/** What stands below these has no shape of yoi's: every name and number may be from outside. */
const foreign = new Set(["metadata", "record", "states", "payload", "position"]);
/** Providers take only letters, digits, `_` and `-` here. */
const identifiers = new Set(["name", "provider_call_id"]);

/** The body's fields without its kind. */
export function redactEntry({ kind, ...fields }: EntryBody, redact: Redact): Fields {
  return redactFields(kind, fields, redact);
}

function redactFields(kind: EntryBody["kind"], fields: Fields, redact: Redact): Fields {
  return mapFields(fields, (name, value) => {
    if (ownFields.has(name) && !(name === "reason" && toldReasons.has(kind))) return value;
    if (name === "item") return redactItem(value, redact);
    // A pause that goes on in another segment has the fields of its record.
    if (name === "paused" && isFields(value)) return redactFields("run_paused", value, redact);
    return redactField(name, value, redact);
  });
}

/** A reasoning that has changed is not the one that its provider signed. */
function redactItem(item: unknown, redact: Redact): unknown {
  if (!isFields(item)) return item;
  const redacted = redactShaped(item, redact);
  if (item["type"] !== "reasoning" || JSON.stringify(redacted) === JSON.stringify(item)) return redacted;
  const { provider_data: _signed, ...rest } = redacted;
  return rest;
}

function redactShaped(fields: Fields, redact: Redact): Fields {
  return mapFields(fields, (name, value) => (ownNested.has(name) ? value : redactField(name, value, redact)));
}

function redactField(name: string, value: unknown, redact: Redact): unknown {
  if (foreign.has(name)) return redactForeign(value, redact);
  if (typeof value === "string") {
    if (identifiers.has(name)) return redactIdentifier(value, redact);
    return name === "arguments" ? redactArguments(value, redact) : redact(value);
  }
  if (Array.isArray(value))
    return value.map((each: unknown) => (typeof each === "string" ? redact(each) : shaped(each, redact)));
  return shaped(value, redact);
}

function shaped(value: unknown, redact: Redact): unknown {
  return isFields(value) ? redactShaped(value, redact) : value;
}

function redactIdentifier(text: string, redact: Redact): string {
  const redacted = redact(text);
  return redacted === text ? text : redacted.replaceAll(/[^\w-]+/g, "_");
}

/** JSON stays JSON: a number, or a value across two strings, is replaced in the parsed arguments. */
function redactArguments(text: string, redact: Redact): string {
  const redacted = redact(text);
  if (redacted === text) return text;
  const before = parsed(text);
  return before === undefined || parsed(redacted) !== undefined
    ? redacted
    : JSON.stringify(redactForeign(before, redact));
}

/** Undefined: not JSON, which stays so. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every string, every name, and the numbers that are a credential. */
function redactForeign(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value === "number") {
    const text = JSON.stringify(value);
    const redacted = redact(text);
    return redacted === text ? value : redacted;
  }
  if (Array.isArray(value)) return value.map((each: unknown) => redactForeign(each, redact));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [redact(name), redactForeign(each, redact)]),
  );
}

function mapFields(fields: Fields, map: (name: string, value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(name, value)]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
