/** Attempts: what writers append to the file of one revision of a feature's state. The first whole one is that revision. */
import type { JsonValue } from "@yoi/base";
import { sealJson, unsealJson } from "./sealed-json.ts";

const schema = 1;

export interface StateAttempt {
  /** Of the writer's call, and of no other. */
  readonly id: string;
  readonly feature: string;
  readonly name: string;
  readonly version: number;
  readonly revision: number;
  /** The ids of the revisions before it, the nearest first. */
  readonly before: readonly string[];
  readonly value: JsonValue;
}

/** A line of its own, whatever the one before it was cut off at. */
export function encodeAttempt({
  id,
  feature,
  name,
  version,
  revision,
  before,
  value,
}: StateAttempt): Uint8Array {
  return Buffer.from(
    `\n${sealJson({ schema, id, feature, name, version, revision, before: [...before], value })}\n`,
  );
}

/** The first whole attempt; null: there is none yet, only what killed writers left. `newer`: it was written by a later yoi. */
export function firstWhole(bytes: Uint8Array): StateAttempt | { readonly newer: true } | null {
  for (const line of linesOf(bytes)) {
    const unsealed = unsealJson(line);
    if ("wrong" in unsealed) continue;
    const { schema: written, id, feature, name, version, revision, before, value } = unsealed.fields;
    if (typeof written === "number" && written > schema) return { newer: true };
    if (
      written === schema &&
      typeof id === "string" &&
      typeof feature === "string" &&
      typeof name === "string" &&
      typeof version === "number" &&
      typeof revision === "number" &&
      Array.isArray(before) &&
      before.every((each) => typeof each === "string") &&
      value !== undefined
    )
      return { id, feature, name, version, revision, before, value };
  }
  return null;
}

/** With the one that is not ended: its checksum says whether it is whole. */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; from < buffer.length;) {
    const found = buffer.indexOf(0x0a, from);
    const to = found < 0 ? buffer.length : found;
    if (to > from) yield buffer.toString("utf8", from, to);
    from = to + 1;
  }
}
