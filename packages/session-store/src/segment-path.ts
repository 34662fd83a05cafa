/** Where session logs and blobs lie below the data directory. */
import { join } from "node:path/posix";
import { isUuidV7, segmentId, type SegmentId, type SessionId } from "@yoi/base";
import type { SegmentRef } from "./store.ts";

const logSuffix = ".jsonl";

export function sessionsDirectory(dataDir: string): string {
  return join(dataDir, "sessions");
}

export function sessionDirectory(dataDir: string, session: SessionId): string {
  return join(sessionsDirectory(dataDir), session);
}

export function segmentPath(dataDir: string, ref: SegmentRef): string {
  return join(sessionDirectory(dataDir, ref.session), `${ref.segment}${logSuffix}`);
}

/** Where the bytes of a cut tail are kept. */
export function tornPath(dataDir: string, ref: SegmentRef): string {
  return join(sessionDirectory(dataDir, ref.session), `${ref.segment}.torn`);
}

/** Where a segment's event trace lies. Its name is no segment's, so it is never listed or replayed. */
export function tracePath(dataDir: string, ref: SegmentRef): string {
  return join(sessionDirectory(dataDir, ref.session), `${ref.segment}.trace.jsonl`);
}

export function blobPath(dataDir: string, sha256: string): string {
  return join(dataDir, "blobs", sha256.slice(0, 2), sha256);
}

/** The segment that a file name in a session's directory stands for; null for side files and strangers. */
export function segmentOfFileName(name: string): SegmentId | null {
  const id = name.slice(0, -logSuffix.length);
  return name.endsWith(logSuffix) && isUuidV7(id) ? segmentId(id) : null;
}
