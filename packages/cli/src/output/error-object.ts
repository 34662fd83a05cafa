/** The result object of a run that came to no result. Every command's failure may need it, so it loads little. */
import type { JsonObject } from "@yoi/base";
import type { PodSnapshot } from "@yoi/pod";
import { costFields, nothingSpent, type Spent } from "./cost.ts";

export const resultSchemaVersion = 1;

/** What is known of the Pod when a run could not come to a result. */
export interface KnownPod {
  readonly name: string;
  /** Null: the Pod was not opened. */
  readonly snapshot: Pick<PodSnapshot, "session" | "segment"> | null;
  /** By this run, before it failed. */
  readonly spent: Spent;
}

/** The result object of a run that came to no result: nothing could be opened, or the log could not be written. */
export function errorObject(
  { code, message }: { readonly code: string; readonly message: string },
  pod: KnownPod | null = null,
): JsonObject {
  const { spent } = pod ?? { spent: nothingSpent };
  return {
    type: "result",
    schema_version: resultSchemaVersion,
    subtype: "error",
    is_error: true,
    result: null,
    error: message,
    error_code: code,
    pod: pod?.name ?? null,
    session_id: pod?.snapshot?.session ?? null,
    segment_id: pod?.snapshot?.segment ?? null,
    num_turns: 0,
    duration_ms: 0,
    usage: { ...spent.usage },
    ...costFields(spent.cost),
    permission_denials: [],
  };
}
