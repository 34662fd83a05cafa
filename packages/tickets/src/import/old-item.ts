/** An item.md of the old layout: `key: value` lines, the first of a key counts, and no YAML (`title: One: two` is a title). */
import type { JsonObject, JsonValue } from "@yoi/base";
import { legacyField, obsoleteFields } from "../legacy-fields.ts";

export interface OldItem {
  readonly title: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /** What a ticket has still: kind, priority, labels, assignee, and every key that nobody knows. */
  readonly fields: JsonObject;
  /** What it has no more. */
  readonly legacy: JsonObject;
  readonly body: string;
  /** The above says all that stood there. */
  readonly whole: boolean;
}

const keyLine = /^([A-Za-z_][A-Za-z0-9_-]*):(.*)$/;
const ours: readonly string[] = ["title", "created_at", "updated_at"];
/** Ours, in which an old value would mean something else. */
const taken: readonly string[] = ["state", legacyField, ...obsoleteFields];

/** Null: it has no front matter. */
export function readOldItem(text: string): OldItem | null {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const end = lines.indexOf("---", 1);
  if (lines[0] !== "---" || end === -1) return null;
  let whole = !text.includes("\r") && !text.startsWith("\ufeff");
  const values = new Map<string, JsonValue>();
  for (const line of lines.slice(1, end)) {
    const [, key, raw] = keyLine.exec(line) ?? [];
    if (key === undefined || raw === undefined || values.has(key) || key in {}) {
      whole &&= line.trim() === "";
      continue;
    }
    // A title in brackets is no list.
    const value = ours.includes(key) ? oldText(raw.trim()) : oldValue(raw.trim());
    values.set(key, value);
    whole &&= written(value) === raw.trim();
  }
  const fields: Record<string, JsonValue> = {};
  const legacy: Record<string, JsonValue> = {};
  for (const [key, value] of values) {
    if (taken.includes(key)) legacy[key] = value;
    else if (!ours.includes(key)) fields[key] = value;
  }
  const textOf = (key: string): string | null => {
    const value = values.get(key);
    return typeof value === "string" ? value : null;
  };
  return {
    title: textOf("title"),
    created_at: textOf("created_at"),
    updated_at: textOf("updated_at"),
    fields,
    legacy,
    body: lines.slice(end + 1).join("\n"),
    whole,
  };
}

function oldText(raw: string): string | null {
  return raw === "null" || raw === "" ? null : unquoted(raw);
}

function oldValue(raw: string): JsonValue {
  const list = /^\[(.*)\]$/.exec(raw)?.[1];
  if (list === undefined) return oldText(raw);
  return list.trim() === "" ? [] : list.split(",").map((one) => unquoted(one.trim()));
}

function unquoted(raw: string): string {
  const single = /^'((?:[^']|'')*)'$/.exec(raw)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  return /^"([^"\\]*)"$/.exec(raw)?.[1] ?? raw;
}

/** As the old tool wrote it: where this is not what stands there, something else was meant. */
function written(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.join(", ")}]`;
  return value === null ? "null" : String(value);
}
