/** What is wrong with the runtime directory or the token in it, as one sentence with the command that mends it. */
import { escapeControls, YoiError } from "@yoi/base";
import type { Directories } from "@yoi/manifest";
import { type Found, type Look, type Weakness, weaknessOfWay } from "./way.ts";

/** Whose directories they have to be, and how they are looked at. */
export interface Looker {
  readonly uid: number;
  readonly look: Look;
}

/** Throws runtime_unsafe for a directory that others could look into or replace; what is missing is fine. */
export function checkDirectories(directories: Directories, socketDirectory: string, looker: Looker): void {
  const { runtime } = directories;
  const weakness = weaknessOfWay(runtime, looker.uid, looker.look);
  if (weakness !== null) throw unsafe(weakness.path, sentenceOfWay(weakness, directories));
  for (const path of [runtime, socketDirectory]) {
    const found = looker.look(path);
    const fault = found === null ? null : faultOf(path, found, looker.uid, "directory");
    if (fault !== null) throw unsafe(path, fault);
  }
}

/** Throws runtime_unsafe for what is not a token of ours; false: there is none. */
export function checkToken(path: string, bytes: number, { uid, look }: Looker): boolean {
  const found = look(path);
  if (found === null) return false;
  const fault = faultOf(path, found, uid, "file");
  if (fault !== null) throw unsafe(path, fault);
  if (found.bytes !== bytes) throw badToken(path);
  return true;
}

export function badToken(path: string): YoiError {
  const what = `${escapeControls(path)} does not hold a token`;
  return unsafe(path, `${what}: remove it with \`rm ${word(path)}\`, and the next start makes a new one.`);
}

/** A disk that is full stays one. */
export function cannotBeMade(path: string, { runtime, data }: Directories, thrown: unknown): unknown {
  if (!(thrown instanceof YoiError) || thrown.code !== "io_failed") return thrown;
  const mend = isOfData(runtime, data)
    ? "mend that, or name another place with YOI_HOME"
    : "use the data directory with `unset XDG_RUNTIME_DIR`";
  const [what] = thrown.message.split(";");
  return unsafe(path, `${what}; ${mend}.`, thrown);
}

function isOfData(runtime: string, data: string): boolean {
  return runtime.startsWith(`${data}/`);
}

function unsafe(path: string, sentence: string, cause?: unknown): YoiError {
  return new YoiError("runtime_unsafe", sentence, {
    place: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}

const wanted = { directory: 0o700, file: 0o600 } as const;

function faultOf(path: string, found: Found, uid: number, kind: keyof typeof wanted): string | null {
  const shown = escapeControls(path);
  const name = word(path);
  if (found.kind === "link")
    return `${shown} is a symbolic link, which could lead anywhere: remove it with \`rm ${name}\`.`;
  if (found.uid !== uid)
    return `${shown} belongs to user ${found.uid}, not to you (user ${uid}): move it away with \`sudo mv ${name} ${word(`${path}.old`)}\`.`;
  if (found.kind !== kind)
    return `${shown} is not a ${kind}: move it away with \`mv ${name} ${word(`${path}.old`)}\`.`;
  const mode = found.mode & 0o777;
  if (mode === wanted[kind]) return null;
  const right = wanted[kind].toString(8);
  return `${shown} has mode ${mode.toString(8)}, but has to be yours alone: set it with \`chmod ${right} ${name}\`.`;
}

function sentenceOfWay({ path, why, uid }: Weakness, { runtime, data }: Directories): string {
  const shown = escapeControls(path);
  const threat = `what is put there for the runtime directory ${escapeControls(runtime)} can be replaced`;
  switch (why) {
    case "foreign": {
      // A session of another user (sudo, su) keeps that user's XDG_RUNTIME_DIR.
      const mend = isOfData(runtime, data)
        ? `make it yours with \`sudo chown "$(id -u)" ${word(path)}\``
        : "use the data directory with `unset XDG_RUNTIME_DIR`";
      return `${shown} belongs to user ${uid}, so ${threat}: ${mend}.`;
    }
    case "writable":
      return `${shown} can be written by other users, so ${threat}: close it with \`chmod go-w ${word(path)}\`.`;
    case "not_a_directory":
      return `${shown} is not a directory, so there is no place for the runtime directory ${escapeControls(runtime)}: move it away with \`mv ${word(path)} ${word(`${path}.old`)}\`.`;
    case "links":
      return `${shown} is one symbolic link too many on the way to the runtime directory ${escapeControls(runtime)}: remove it with \`rm ${word(path)}\`.`;
  }
}

/** For a shell. */
function word(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${escapeControls(path).replaceAll("'", "'\\''")}'`;
}
