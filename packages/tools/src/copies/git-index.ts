/** Git index: the paths of the files that git tracks, from the bytes of `.git/index` alone. */
import { hash } from "node:crypto";

const headerBytes = 12;
/** Of an entry: times, device, inode, mode, owner and size, behind which the object id and the flags stand. */
const statBytes = 40;
const flagsBytes = 2;
/** With what a repository names objects and sums up its index; an index does not say which. */
const formats = [
  { name: "sha1", idBytes: 20 },
  { name: "sha256", idBytes: 32 },
] as const;
type Format = (typeof formats)[number];

/**
 * Paths below the working directory, one character a byte; of regular files alone. Null: it is not an index of the versions 2 to 4, or is damaged: then git is to be taken as
 * knowing nothing.
 */
export function parseGitIndex(bytes: Buffer): readonly string[] | null {
  for (const format of formats) {
    const paths = parseAs(format, bytes);
    if (paths !== null) return paths;
  }
  return null;
}

function parseAs(format: Format, bytes: Buffer): readonly string[] | null {
  const { idBytes } = format;
  if (bytes.length < headerBytes + idBytes || bytes.toString("latin1", 0, 4) !== "DIRC") return null;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4 || !hasItsSum(bytes, format)) return null;
  const end = bytes.length - idBytes;
  const paths: string[] = [];
  let at = headerBytes;
  let last = "";
  for (let index = 0; index < count; index += 1) {
    const flagsAt = at + statBytes + idBytes;
    if (flagsAt + flagsBytes > end) return null;
    const mode = bytes.readUInt32BE(at + 24);
    const isExtended = (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    if (isExtended && version < 3) return null;
    const nameAt = flagsAt + flagsBytes + (isExtended ? 2 : 0);
    const read = version === 4 ? compressedName(bytes, nameAt, last) : plainName(bytes, nameAt);
    if (read === null || read.next > end || !isInside(read.name)) return null;
    if (mode >>> 12 === 0b1000) paths.push(read.name);
    last = read.name;
    // Entries of the older versions end with one to eight zeros, at a multiple of eight.
    at = version === 4 ? read.next : at + ((read.next - at + 7) & ~7);
  }
  return paths;
}

/** Git may leave the sum out, as zeros. */
function hasItsSum(bytes: Buffer, { name, idBytes }: Format): boolean {
  const sum = bytes.subarray(bytes.length - idBytes);
  return (
    sum.every((byte) => byte === 0) || hash(name, bytes.subarray(0, -idBytes), "hex") === sum.toString("hex")
  );
}

interface ReadName {
  readonly name: string;
  /** Behind its zero. */
  readonly next: number;
}

function plainName(bytes: Buffer, at: number): ReadName | null {
  const zero = bytes.indexOf(0, at);
  return zero === -1 ? null : { name: bytes.toString("latin1", at, zero), next: zero + 1 };
}

/** How many characters of the last name go, then what comes in their place. */
function compressedName(bytes: Buffer, at: number, last: string): ReadName | null {
  let next = at;
  let byte = bytes[next] ?? 0;
  let gone = byte & 0x7f;
  while ((byte & 0x80) !== 0 && gone <= last.length) {
    next += 1;
    byte = bytes[next] ?? 0;
    gone = ((gone + 1) << 7) | (byte & 0x7f);
  }
  const rest = plainName(bytes, next + 1);
  if (rest === null || gone > last.length) return null;
  return { name: last.slice(0, last.length - gone) + rest.name, next: rest.next };
}

function isInside(name: string): boolean {
  return name
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git");
}
