/** What the suite of stores is handed, and what it begins segments with. */
import {
  type EntryBody,
  type ErrorCode,
  type Ids,
  logSchema,
  segmentId,
  type SegmentStart,
  sessionId,
  YoiError,
} from "@yoi/base";
import type { Opening, SegmentRef, SessionStore } from "../../src/index.ts";

export interface StoreUnderTest {
  readonly store: SessionStore;
  readonly ids: Ids;
  dispose(): Promise<void>;
}

export const opening: Opening = { metadataEpoch: 0, version: "0.1.0" };

export function startOf(ids: Ids): Omit<SegmentStart, "kind" | "carried"> {
  return {
    schema: logSchema,
    session_id: sessionId(ids.uuidV7()),
    segment_id: segmentId(ids.uuidV7()),
    config: { model: "scripted/test", max_output_tokens: 1_000 },
    prompt: "prompt",
    documents: [],
    turn_count: 0,
    states: {},
  };
}

export const refOf = (start: {
  session_id: SegmentRef["session"];
  segment_id: SegmentRef["segment"];
}): SegmentRef => ({
  session: start.session_id,
  segment: start.segment_id,
});

export const input = (text: string): EntryBody => ({ kind: "user_input", parts: [{ type: "text", text }] });

export const withCode = (code: ErrorCode) => (error: unknown) =>
  error instanceof YoiError && error.code === code;
