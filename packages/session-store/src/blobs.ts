/** Blobs: payloads of one session too large for a line, stored beside its logs under the digest of their bytes. All writers of a session share one of these. */
import { hash } from "node:crypto";
import { isUtf8 } from "node:buffer";
import { dirname } from "node:path/posix";
import { YoiError, type LogEntry, type SessionId } from "@yoi/base";
import { sweepTemporaries, type Files } from "@yoi/host";
import { attachPayload, type BlobReference, type DetachedEntry } from "./log-entry.ts";
import { blobPath } from "./segment-path.ts";

export class Blobs {
  readonly #files: Files;
  readonly #dataDir: string;
  readonly #session: SessionId;
  readonly #swept = new Map<string, Promise<void>>();

  constructor(files: Files, dataDir: string, session: SessionId) {
    this.#files = files;
    this.#dataDir = dataDir;
    this.#session = session;
  }

  /** Stores a payload's JSON; file and directories are durable on return. */
  async write(json: string): Promise<BlobReference> {
    const bytes = Buffer.from(json, "utf8");
    const sha256 = hash("sha256", bytes, "hex");
    const path = this.#pathOf(sha256);
    await this.#sweep(dirname(path));
    await this.#files.makeDirectory(dirname(path));
    await this.#files.replace(path, bytes);
    return { sha256, bytes: bytes.length };
  }

  /** The whole entry. Throws `blob_damaged` when the blob is missing or is not what the entry names. */
  async attach(detached: DetachedEntry): Promise<LogEntry> {
    const path = this.#pathOf(detached.blob.sha256);
    const bytes = await this.#files.read(path);
    if (bytes === null) throw damaged(detached, path, "it is missing");
    if (bytes.length !== detached.blob.bytes || hash("sha256", bytes, "hex") !== detached.blob.sha256) {
      throw damaged(detached, path, "its content has changed");
    }
    if (!isUtf8(bytes)) throw damaged(detached, path, "it is not valid UTF-8");
    const decoded = attachPayload(detached, Buffer.from(bytes).toString("utf8"));
    if ("wrong" in decoded) throw damaged(detached, path, decoded.wrong);
    return decoded.entry;
  }

  /** Removes what a killed owner left half-written, before the first write into a directory: so opening costs nothing for blobs that nobody reads. */
  #sweep(directory: string): Promise<void> {
    const begun = this.#swept.get(directory);
    if (begun !== undefined) return begun;
    const sweeping = sweepTemporaries(this.#files, directory);
    this.#swept.set(directory, sweeping);
    sweeping.catch(() => this.#swept.delete(directory));
    return sweeping;
  }

  #pathOf(sha256: string): string {
    return blobPath(this.#dataDir, this.#session, sha256);
  }
}

function damaged(detached: DetachedEntry, path: string, reason: string): YoiError {
  return new YoiError(
    "blob_damaged",
    `The ${detached.field} of log entry ${detached.seq} (${detached.kind}) lies in ${path}, and ${reason}: bring the file back from a backup.`,
    { place: { path } },
  );
}
