/** The only writer of session logs and blobs. */
export type {
  LastEntry,
  LinesFrom,
  LogDamage,
  LogHead,
  LogPiece,
  OpenedSegment,
  Opening,
  RecordedEntry,
  SegmentContent,
  SegmentFile,
  SegmentRef,
  SegmentView,
  SegmentWriter,
  SessionStore,
  StoredLine,
  TailRepair,
  TraceFile,
} from "./store.ts";
export type {
  ChildPlace,
  ClosedApproval,
  KeptOnRecord,
  OpenApproval,
  OpenCommand,
  Replay,
  RunState,
  SessionState,
  Submission,
  WaitingInput,
  WaitingItem,
} from "./session-state.ts";
export type { DecodedLog, DecodeOptions, LogTail } from "./decode-log.ts";
export type { BlobReference, DecodedEntry, DetachedEntry } from "./log-entry.ts";
export { changeCopiesBytesMax, commandCopiesBytesMax, type CopyOf, type FileCopies } from "./file-copies.ts";
export type { SessionStoreOptions } from "./file-store.ts";
export type { Redact } from "./redact-entry.ts";
export { decodeLog } from "./decode-log.ts";
export { entryBytesMax } from "./encode-entry.ts";
export { createSessionStore } from "./file-store.ts";
export { jsonOfEntry, originOf } from "./log-entry.ts";
export { passesByItself } from "./fold-run.ts";
export { positionDomain } from "./position-domain.ts";
export { createReplay, replay } from "./replay.ts";
export { commandGiven, type Given, submissionDigest } from "./submission-digest.ts";
export { blobPath, segmentPath, sessionDirectory, tracePath } from "./segment-path.ts";
export { WorkTime, workGapMsMax } from "./work-time.ts";
