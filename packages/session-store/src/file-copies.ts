/** File copies: what files of the user held before tools changed them, beside the logs of the session, under the digest of the bytes. */
import { hash } from "node:crypto";
import { dirname, join } from "node:path/posix";
import { type SessionId, YoiError } from "@yoi/base";
import { type Files, sweepTemporaries } from "@yoi/host";
import { sessionDirectory } from "./segment-path.ts";

/** Why a copy is kept: a file tool changed the file, or a command did. Each has room of its own. */
export type CopyOf = "change" | "command";

/** Most bytes of one session. */
export const commandCopiesBytesMax = 32 * 1024 * 1024;
export const changeCopiesBytesMax = 512 * 1024 * 1024;

const roomOf: Readonly<Record<CopyOf, number>> = {
  change: changeCopiesBytesMax,
  command: commandCopiesBytesMax,
};
const kinds: readonly CopyOf[] = ["change", "command"];

export interface FileCopies {
  /** Durable on return, with the digest (SHA-256) under which `read` gives them. Throws limit_exceeded where the session has no room, disk_full, io_failed. */
  keep(bytes: Uint8Array, of: CopyOf): Promise<string>;
  /** Null: there is no such copy. Throws blob_damaged where it is not what it was. */
  read(sha256: string): Promise<Uint8Array | null>;
}

export class SessionFileCopies implements FileCopies {
  readonly #files: Files;
  readonly #directory: string;
  /** Bytes kept, by what for; measured before the first copy. */
  #kept: Promise<Map<CopyOf, number>> | null = null;
  /** One after the other: room is counted, and the same bytes are written once. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: Files, dataDir: string, session: SessionId) {
    this.#files = files;
    this.#directory = join(sessionDirectory(dataDir, session), "files");
  }

  keep(bytes: Uint8Array, of: CopyOf): Promise<string> {
    const kept = this.#last.then(() => this.#keep(bytes, of));
    this.#last = kept.catch(() => {});
    return kept;
  }

  async read(sha256: string): Promise<Uint8Array | null> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
    for (const of of kinds) {
      const path = this.#pathOf(sha256, of);
      const bytes = await this.#files.read(path);
      if (bytes === null) continue;
      if (hash("sha256", bytes, "hex") === sha256) return bytes;
      throw new YoiError(
        "blob_damaged",
        `The copy ${path} of a file is not what it was: bring it back from a backup.`,
        { place: { path } },
      );
    }
    return null;
  }

  async #keep(bytes: Uint8Array, of: CopyOf): Promise<string> {
    this.#kept ??= this.#measure();
    const kept = await this.#kept.catch((error: unknown) => {
      this.#kept = null;
      throw error;
    });
    const sha256 = hash("sha256", bytes, "hex");
    for (const one of kinds) {
      const found = await this.#files.stat(this.#pathOf(sha256, one));
      if (found?.bytes === bytes.length) return sha256;
    }
    const all = (kept.get(of) ?? 0) + bytes.length;
    if (all > roomOf[of])
      throw new YoiError(
        "limit_exceeded",
        `The session keeps copies of ${roomOf[of]} bytes for ${of === "command" ? "commands" : "file tools"}, and this one would make it ${all}.`,
      );
    const path = this.#pathOf(sha256, of);
    await this.#files.makeDirectory(dirname(path));
    await this.#files.replace(path, bytes);
    kept.set(of, all);
    return sha256;
  }

  /** Only the owner of the session keeps copies, so that what a killed one left half-written goes. */
  async #measure(): Promise<Map<CopyOf, number>> {
    const kept = new Map<CopyOf, number>();
    for (const of of kinds) {
      let bytes = 0;
      const above = join(this.#directory, of);
      for (const part of await this.#files.list(above)) {
        const directory = join(above, part);
        await sweepTemporaries(this.#files, directory);
        for (const name of await this.#files.list(directory))
          bytes += (await this.#files.stat(join(directory, name)))?.bytes ?? 0;
      }
      kept.set(of, bytes);
    }
    return kept;
  }

  #pathOf(sha256: string, of: CopyOf): string {
    return join(this.#directory, of, sha256.slice(0, 2), sha256);
  }
}
