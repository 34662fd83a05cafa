/** The only writer of session logs and blobs. */
export type {
  AppendExpectation,
  LogDamage,
  LogHead,
  OpenedSegment,
  Opening,
  SegmentRef,
  SegmentView,
  SegmentWriter,
  SessionStore,
  TailRepair,
} from "./store.ts";
export type { Replay, RunState, SessionState } from "./session-state.ts";
