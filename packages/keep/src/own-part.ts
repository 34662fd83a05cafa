/** Where in a value that begins which it does not share with others of its kind. */
import { isJsonObject } from "@yoi/base";

/**
 * Characters that say nothing about the value. Of a JSON Web Token that is its header, and its claims where they can be read: every token of
 * the same service may begin with them, and without what stands behind them no token is one. 0 where less than `lengthMin` would be left.
 */
export function ownPartOf(value: string, lengthMin: number): number {
  const [header = "", claims = "", ...rest] = value.split(".");
  if (!isEncodedObject(header)) return 0;
  const behindHeader = header.length + 1;
  const readable = rest.length === 1 && isEncodedObject(claims) ? [behindHeader + claims.length + 1] : [];
  return [...readable, behindHeader].find((at) => value.length - at >= lengthMin) ?? 0;
}

function isEncodedObject(part: string): boolean {
  if (!/^[\w-]+$/.test(part)) return false;
  try {
    return isJsonObject(JSON.parse(Buffer.from(part, "base64url").toString("utf8")));
  } catch {
    return false;
  }
}
