/** Packing a Pod into a bundle: reads only, also while another process holds the Pod. */
import { basename, relative } from "node:path/posix";
import { type Clock, isUuidV7, type PodName, segmentId, YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { activeSegment, findPod } from "@yoi/pod";
import { createPodStore, type PodStore, withoutToken } from "@yoi/pod-store";
import { blobPath, decodeLog, type SegmentRef, segmentPath, sessionDirectory } from "@yoi/session-store";
import { packTar } from "modern-tar";
import { version } from "../version.ts";
import { bundleFiles } from "./bundle-files.ts";
import {
  type BundleManifest,
  bundleBytesMax,
  bundleFilesMax,
  bundleFormat,
  bundleVersion,
  manifestName,
  metadataName,
  sha256Of,
} from "./bundle-format.ts";

export interface PackStores {
  readonly host: { readonly files: Files; readonly clock: Clock };
  readonly pods: Pick<PodStore, "read" | "pathOf">;
  readonly dataDir: string;
}

export interface PackedBundle {
  readonly bytes: Uint8Array;
  readonly manifest: BundleManifest;
  /** Of the active segment. */
  readonly entries: number;
  readonly segments: number;
  readonly blobs: number;
}

/**
 * The metadata is read first: what the log gains afterwards is only more than it knows. Of a log that is damaged before its end all bytes are taken, so
 * that `verify` says there what it says here; of any other the lines that are whole.
 */
export async function packBundle(stores: PackStores, name: string): Promise<PackedBundle> {
  const found = await findPod(stores.pods, name);
  const files = new Map([[metadataName(found.name), await metadataBytes(stores, found.name)]]);
  // The pointer that counts is the one in the bytes that are packed.
  const dataDir = "/bundle";
  const copy = createPodStore({ files: bundleFiles(dataDir, files), clock: stores.host.clock, dataDir });
  const ref = activeSegment(await findPod(copy, found.name));
  const packed = await addSession(stores, found.name, ref, files);
  const root = sessionDirectory(stores.dataDir, ref.session);
  return { ...packed, ...(await writeTar(stores.host.clock, found.name, ref, { files, root })) };
}

async function metadataBytes({ host, pods }: PackStores, name: PodName): Promise<Uint8Array> {
  const bytes = await host.files.read(pods.pathOf(name));
  if (bytes === null)
    throw new YoiError(
      "pod_unknown",
      `The Pod ${name} was removed while it was exported: nothing was written.`,
    );
  return withoutToken(bytes, name, pods.pathOf(name));
}

async function addSession(
  { host: { files: disk }, dataDir }: PackStores,
  pod: PodName,
  active: SegmentRef,
  files: Map<string, Uint8Array>,
): Promise<Pick<PackedBundle, "entries" | "segments" | "blobs">> {
  const { session } = active;
  const root = sessionDirectory(dataDir, session);
  const refs = (await disk.list(root)).flatMap((file): SegmentRef[] => {
    const segment = basename(file, ".jsonl");
    return file.endsWith(".jsonl") && isUuidV7(segment) ? [{ session, segment: segmentId(segment) }] : [];
  });
  // Nothing is read that is too large for a bundle: it may be too large for the memory.
  let bytes = 0;
  const count = async (path: string): Promise<void> => {
    bytes += (await disk.stat(path))?.bytes ?? 0;
    if (bytes > bundleBytesMax) throw tooLarge(pod, root);
  };
  const add = async (path: string): Promise<Uint8Array | null> => {
    const read = await disk.read(path);
    if (read !== null) files.set(relative(dataDir, path), read);
    return read;
  };
  for (const ref of refs) await count(segmentPath(dataDir, ref));
  let [entries, segments, blobs] = [0, 0, 0];
  for (const ref of refs) {
    const path = segmentPath(dataDir, ref);
    const read = await add(path);
    if (read === null) continue;
    const log = decodeLog(Buffer.from(read.buffer, read.byteOffset, read.byteLength), { path, ref });
    if (log.damage === null) files.set(relative(dataDir, path), read.subarray(0, log.goodBytes));
    segments += 1;
    if (ref.segment === active.segment) entries = log.entries.length;
    for (const entry of log.entries) {
      if (!("detached" in entry)) continue;
      const blob = blobPath(dataDir, session, entry.blob.sha256);
      if (files.has(relative(dataDir, blob))) continue;
      await count(blob);
      // One that is missing is missing in the bundle too, and `verify` says so.
      if ((await add(blob)) !== null) blobs += 1;
      refuseTooMuch(files);
    }
  }
  refuseTooMuch(files);
  if (!files.has(relative(dataDir, segmentPath(dataDir, active)))) {
    throw new YoiError(
      "io_failed",
      `The log ${segmentPath(dataDir, active)} does not exist, so there is nothing to export: bring it back from a backup.`,
    );
  }
  return { entries, segments, blobs };
}

function tooLarge(pod: PodName, root: string): YoiError {
  return new YoiError(
    "limit_exceeded",
    `What is kept of ${pod} has more bytes than the ${bundleBytesMax} of a bundle: copy the directory ${root} instead, while no process holds the Pod.`,
  );
}

function refuseTooMuch(files: ReadonlyMap<string, Uint8Array>): void {
  if (files.size > bundleFilesMax) {
    throw new YoiError(
      "limit_exceeded",
      `A bundle holds at most ${bundleFilesMax} files, and this Pod has more: copy its data directory instead.`,
    );
  }
}

async function writeTar(
  clock: Clock,
  pod: PodName,
  ref: SegmentRef,
  { files, root }: { readonly files: ReadonlyMap<string, Uint8Array>; readonly root: string },
): Promise<Pick<PackedBundle, "bytes" | "manifest">> {
  const createdMs = Math.floor(clock.now());
  const manifest: BundleManifest = {
    format: bundleFormat,
    version: bundleVersion,
    yoi: version,
    pod,
    session_id: ref.session,
    segment_id: ref.segment,
    created_ms: createdMs,
    files: [...files].map(([path, bytes]) => ({ path, bytes: bytes.byteLength, sha256: sha256Of(bytes) })),
  };
  const first = [manifestName, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)] as const;
  const total = [first, ...files].reduce((sum, [, bytes]) => sum + tarBytesOf(bytes.byteLength), tarEndBytes);
  if (total > bundleBytesMax) throw tooLarge(pod, root);
  const mtime = new Date(createdMs);
  const bytes = await packTar(
    [first, ...files].map(([name, body]) => ({
      header: { name, size: body.byteLength, mode: 0o600, mtime },
      body,
    })),
  );
  return { bytes, manifest };
}

const tarBlockBytes = 512;
const tarEndBytes = 2 * tarBlockBytes;

function tarBytesOf(size: number): number {
  return tarBlockBytes + Math.ceil(size / tarBlockBytes) * tarBlockBytes;
}
