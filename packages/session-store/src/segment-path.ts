/** Where session logs and blobs lie below the data directory. */
import { join } from "node:path/posix";
import { isUuidV7, type SegmentId, segmentId, type SessionId } from "@yoi/base";
import type { SegmentRef } from "./store.ts";

export function sessionsDirectory(dataDir: string): string {
  return join(dataDir, "sessions");
}

export function sessionDirectory(dataDir: string, session: SessionId): string {
  return join(sessionsDirectory(dataDir), session);
}

export function segmentPath(dataDir: string, ref: SegmentRef): string {
  return join(sessionDirectory(dataDir, ref.session), `${ref.segment}.jsonl`);
}

/** The segment whose log is in a file of this name; null: none is. */
export function segmentOfFile(name: string): SegmentId | null {
  const id = /^(.*)\.jsonl$/.exec(name)?.[1];
  return id !== undefined && isUuidV7(id) ? segmentId(id) : null;
}

/** Where the bytes of a cut tail are kept. */
export function tornPath(dataDir: string, ref: SegmentRef): string {
  return join(sessionDirectory(dataDir, ref.session), `${ref.segment}.torn`);
}

/** Where a segment's event trace lies. It is never replayed. */
export function tracePath(dataDir: string, ref: SegmentRef): string {
  return join(sessionDirectory(dataDir, ref.session), `${ref.segment}.trace.jsonl`);
}

/** Below the session, so that they go with it. */
export function blobsDirectory(dataDir: string, session: SessionId): string {
  return join(sessionDirectory(dataDir, session), "blobs");
}

export function blobPath(dataDir: string, session: SessionId, sha256: string): string {
  return join(blobsDirectory(dataDir, session), sha256.slice(0, 2), sha256);
}
