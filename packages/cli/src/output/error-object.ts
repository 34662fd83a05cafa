/** The result object of a run that came to no result. Every command's failure may need it, so it loads little. */
import type { JsonObject } from "@yoi/base";
import type { Failure } from "../failure.ts";
import { costFields, nothingSpent, type Spent } from "./cost.ts";

export const resultSchemaVersion = 1;

/** What is known of a run that could not come to a result. */
export interface KnownRun {
  /** Null: there is no Pod of the name, or none was named. */
  readonly pod: string | null;
  /** Null: the Pod was not opened or reached. */
  readonly snapshot: { readonly session: string; readonly segment: string } | null;
  /** By this run, before it failed. */
  readonly spent: Spent;
  readonly turns: number;
  readonly durationMs: number;
}

const nothingKnown: KnownRun = { pod: null, snapshot: null, spent: nothingSpent, turns: 0, durationMs: 0 };

/** The result object of a run that came to no result: nothing could be opened, or the log could not be written. */
export function errorObject(
  { code, message, subtype = "error" }: Pick<Failure, "code" | "message" | "subtype">,
  { pod, snapshot, spent, turns, durationMs }: KnownRun = nothingKnown,
): JsonObject {
  return {
    type: "result",
    schema_version: resultSchemaVersion,
    subtype,
    is_error: true,
    result: null,
    error: message,
    error_code: code,
    pod,
    session_id: snapshot?.session ?? null,
    segment_id: snapshot?.segment ?? null,
    num_turns: turns,
    followed_runs: 0,
    duration_ms: Math.round(durationMs),
    usage: { ...spent.usage },
    ...costFields(spent.cost),
    tree: null,
    permission_denials: [],
  };
}
