/** Child token: what a child shows at its parent's socket. The parent keeps its digest alone. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { PodName } from "@yoi/base";
import type { ChildRecord } from "@yoi/pod-store";

const tokenRandomBytes = 32;

/** @param secureBytes so many bytes that nobody can guess. */
export function newChildToken(secureBytes: (count: number) => Uint8Array): string {
  return Buffer.from(secureBytes(tokenRandomBytes)).toString("hex");
}

/** SHA-256 in lower-case hex, as `ChildRecord.tokenDigest` has it. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Whose token has this digest; null: nobody's. Takes as long whichever it is, and where it is none. */
export function childWithToken(
  children: readonly Pick<ChildRecord, "name" | "tokenDigest">[],
  digest: string,
): PodName | null {
  const shown = Buffer.from(digest);
  let found: PodName | null = null;
  for (const child of children) {
    const known = Buffer.from(child.tokenDigest);
    if (known.length === shown.length && timingSafeEqual(known, shown)) found = child.name;
  }
  return found;
}
