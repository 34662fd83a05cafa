/** The token's file is looked at before it is read: one that has another size than a token is not read at all. */
import assert from "node:assert/strict";
import test from "node:test";
import { checkToken, type Looker } from "../../src/runtime/check.ts";

const bytesOfToken = 64;

function finding(bytes: number): Looker {
  return { uid: 7, look: () => ({ kind: "file", uid: 7, gid: 7, mode: 0o600, bytes, target: null }) };
}

test("as many bytes as a token has are taken, one more and one less are refused", () => {
  assert.equal(checkToken("/r/token", bytesOfToken, finding(bytesOfToken)), true);
  for (const bytes of [0, bytesOfToken - 1, bytesOfToken + 1, 1 << 30])
    assert.throws(() => checkToken("/r/token", bytesOfToken, finding(bytes)), {
      code: "runtime_unsafe",
      message: /^\/r\/token does not hold a token: /,
    });
});
