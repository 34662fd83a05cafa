/** A bundle: one tar file that holds a Pod, laid out as in a data directory, behind a manifest that names every byte. */
import { createHash } from "node:crypto";
import { isJsonObject, isUuidV7, type JsonValue, isPodName, YoiError } from "@yoi/base";

export const bundleFormat = "yoi-pod-bundle";
export const bundleVersion = 1;
/** The first entry of the tar. */
export const manifestName = "manifest.json";
/** A whole bundle is held in memory. */
export const bundleBytesMax = 512 * 1024 * 1024;
/** Files beside the manifest. */
export const bundleFilesMax = 4_096;

export interface BundledFile {
  /** Relative to the data directory. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** As stored: the names are the JSON's. */
export interface BundleManifest {
  readonly format: typeof bundleFormat;
  readonly version: typeof bundleVersion;
  /** The version of yoi that wrote it. */
  readonly yoi: string;
  readonly pod: string;
  readonly session_id: string;
  /** The segment that the Pod's name refers to. */
  readonly segment_id: string;
  readonly created_ms: number;
  readonly files: readonly BundledFile[];
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function metadataName(pod: string): string {
  return `pods/${pod}/metadata.json`;
}

/** Only what a Pod consists of has a place in its bundle: no path of it leads anywhere else. */
export function isPlaceOf({ pod, session_id: session }: BundleManifest, path: string): boolean {
  if (path === metadataName(pod)) return true;
  const parts = path.split("/");
  if (parts[0] !== "sessions" || parts[1] !== session) return false;
  if (parts.length === 3) {
    const segment = /^(.*)\.jsonl$/.exec(parts[2] ?? "")?.[1];
    return segment !== undefined && isUuidV7(segment);
  }
  const [, , blobs, shard, blob = ""] = parts;
  return parts.length === 5 && blobs === "blobs" && /^[0-9a-f]{64}$/.test(blob) && shard === blob.slice(0, 2);
}

/** @param refuse makes the error of a sentence part that says what is wrong. Throws that, or schema_newer. */
export function parseBundleManifest(
  value: JsonValue | undefined,
  file: string,
  refuse: (what: string) => YoiError,
): BundleManifest {
  const broken = (field: string): YoiError =>
    refuse(`the field ${field} of its manifest is missing or of the wrong type`);
  if (!isJsonObject(value) || value["format"] !== bundleFormat)
    throw refuse(`its manifest does not say that it is a ${bundleFormat}`);
  const { version, yoi, pod, session_id, segment_id, created_ms, files } = value;
  if (!isCount(version) || version === 0) throw broken("version");
  if (version > bundleVersion) {
    throw new YoiError(
      "schema_newer",
      `The bundle ${file} has version ${version}, and this yoi knows ${bundleVersion}: use a newer yoi.`,
      { place: { path: file } },
    );
  }
  if (typeof yoi !== "string") throw broken("yoi");
  if (typeof pod !== "string" || !isPodName(pod)) throw broken("pod");
  if (typeof session_id !== "string" || !isUuidV7(session_id)) throw broken("session_id");
  if (typeof segment_id !== "string" || !isUuidV7(segment_id)) throw broken("segment_id");
  if (!isCount(created_ms)) throw broken("created_ms");
  if (!Array.isArray(files) || files.length > bundleFilesMax) throw broken("files");
  const listed = files.map((each: JsonValue): BundledFile => {
    const named = isJsonObject(each) ? each : {};
    const { path, bytes, sha256 } = named;
    if (typeof path !== "string" || !isCount(bytes) || typeof sha256 !== "string") throw broken("files");
    return { path, bytes, sha256 };
  });
  return {
    format: bundleFormat,
    version: bundleVersion,
    yoi,
    pod,
    session_id,
    segment_id,
    created_ms,
    files: listed,
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
