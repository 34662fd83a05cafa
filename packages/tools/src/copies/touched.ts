/** Touched: what a tool's record says of the files that it changed, so that they can be put back. */
import { isJsonObject, type JsonObject, YoiError } from "@yoi/base";

/** Where what a file held before a change is kept, under the SHA-256 of its bytes. */
export interface FileCopies {
  /** Durable on return. Throws limit_exceeded, disk_full, io_failed. */
  keep(bytes: Uint8Array, of: "change" | "command"): Promise<string>;
  /** Null: there is no such copy. Throws blob_damaged. */
  read(sha256: string): Promise<Uint8Array | null>;
}

export interface Touched {
  /** Real. */
  readonly path: string;
  /** Digest of what it held, of which there is a copy; null: there was no such file; `not_kept`: there is no copy. */
  readonly before: string | null;
  /** Digest of what it held then; null: it was gone; `not_known`: nobody read it. */
  readonly after: string | null;
  /** Permission bits before, where the change may have lost them. */
  readonly mode?: number;
  /** Permission bits then, where they are known. */
  readonly mode_after?: number;
  /** Where the file that is there now was known to be before. */
  readonly moved_from?: string;
  /** Why there is no copy. */
  readonly why?: string;
}

export const notKept = "not_kept";
export const notKnown = "not_known";

/** Most bytes with which a record names files itself; more are named by a copy that the record names. */
export const touchedBytesMax = 12 * 1024;
/** Most characters of a reason. */
const whyCharsMax = 200;

/** What a record has to say of the files. `{}`: nothing was touched. Never throws for a copy that cannot be kept: then only the first files are named. */
export async function touchedRecord(
  touched: readonly Touched[],
  copies: FileCopies,
  of: "change" | "command",
): Promise<JsonObject> {
  if (touched.length === 0) return {};
  const inline = firstOf(touched);
  if (inline.length === touched.length) return { touched: inline.map(jsonOf) };
  const all = Buffer.from(JSON.stringify(touched.map(jsonOf)), "utf8");
  try {
    return { touched_list: await copies.keep(all, of), touched_count: touched.length };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { touched: inline.map(jsonOf), touched_lost: touched.length - inline.length };
  }
}

function firstOf(touched: readonly Touched[]): readonly Touched[] {
  let bytes = 0;
  const beyond = touched.findIndex((one) => {
    bytes += Buffer.byteLength(JSON.stringify(jsonOf(one))) + 1;
    return bytes > touchedBytesMax;
  });
  return beyond === -1 ? touched : touched.slice(0, beyond);
}

function jsonOf({ why, ...one }: Touched): JsonObject {
  return {
    ...one,
    ...(why === undefined ? {} : { why: why.slice(0, whyCharsMax) }),
  };
}

export interface ReadTouched {
  readonly touched: readonly Touched[];
  /** How many more there were, of which nothing is known. */
  readonly lost: number;
}

/** What a record says, its list fetched where it names one. What is no such thing is none. */
export async function readTouched(
  record: JsonObject,
  copies: Pick<FileCopies, "read">,
): Promise<ReadTouched> {
  const { touched, touched_list, touched_count, touched_lost } = record;
  if (typeof touched_list !== "string")
    return { touched: touchedIn(touched), lost: typeof touched_lost === "number" ? touched_lost : 0 };
  const listed = touchedIn(await listOf(touched_list, copies));
  const count = typeof touched_count === "number" ? touched_count : 0;
  return { touched: listed, lost: Math.max(0, count - listed.length) };
}

async function listOf(sha256: string, copies: Pick<FileCopies, "read">): Promise<unknown> {
  try {
    const bytes = await copies.read(sha256);
    return bytes === null ? null : (JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown);
  } catch (error) {
    // Damaged: all that it named is lost, which its count says.
    if (error instanceof YoiError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function touchedIn(value: unknown): readonly Touched[] {
  return Array.isArray(value) ? value.filter(isJsonObject).filter(isTouched) : [];
}

function isTouched(value: JsonObject): value is JsonObject & Touched {
  const { path, before, after, mode, mode_after, moved_from } = value;
  return (
    typeof path === "string" &&
    path.startsWith("/") &&
    isState(before, notKept) &&
    isState(after, notKnown) &&
    isMode(mode) &&
    isMode(mode_after) &&
    (moved_from === undefined || (typeof moved_from === "string" && moved_from.startsWith("/")))
  );
}

function isMode(value: unknown): boolean {
  return value === undefined || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0o777);
}

function isState(value: unknown, other: string): boolean {
  return value === null || value === other || (typeof value === "string" && /^[0-9a-f]{64}$/.test(value));
}

/** Keeps what a file holds before it is changed; a copy that cannot be kept stops nothing. Null: there is no file. */
export async function keepBefore(
  bytes: Uint8Array | null,
  copies: FileCopies,
  of: "change" | "command",
): Promise<Pick<Touched, "before" | "why">> {
  if (bytes === null) return { before: null };
  try {
    return { before: await copies.keep(bytes, of) };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { before: notKept, why: error.message };
  }
}
