/** Who a hello's token belongs to. Fails closed, and takes as long for a wrong token as for a right one. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { PodName } from "@yoi/base";
import { tokenDigest } from "../spawn/child-token.ts";
import type { Authorize } from "./serve-options.ts";

interface TokenSource {
  /** Read anew at every hello, so that a token that was replaced is refused from then on. Null: there is none. */
  readonly userToken: () => Promise<string | null>;
  /** The child with an open loan whose token has this digest, asked anew at every hello; null: none has. Absent: there are no children. */
  readonly childOf?: (digest: string) => PodName | null;
}

export function createAuthorizer({ userToken, childOf }: TokenSource): Authorize {
  return async (role, token) => {
    // No token at all opens nothing, also where what it is compared with came out empty.
    if (token === "") return null;
    switch (role) {
      // A peer and a script that only delivers show the user's token, and may do less with it.
      case "user":
      case "peer":
      case "send_only":
        return isSame(token, await userToken()) ? { role } : null;
      case "child": {
        const child = childOf?.(tokenDigest(token)) ?? null;
        return child === null ? null : { role, child };
      }
    }
  };
}

/** Over digests: texts of different lengths cannot be told apart by time either. */
function isSame(shown: string, known: string | null): boolean {
  return known !== null && timingSafeEqual(digest(shown), digest(known));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
