/** `--write`: how often it may be given, and what it may name. */
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { checkWrites, writesInForce, writesMax } from "../../src/compose/writes.ts";

test(`--write is taken ${writesMax} times, and no more`, async () => {
  const workspace = realpathSync(tmpdir());
  const given = (count: number) =>
    writesInForce({ write: Array.from({ length: count }, () => workspace) }, workspace, null);
  assert.deepEqual(await given(writesMax), [workspace]);
  await assert.rejects(given(writesMax + 1), {
    code: "usage",
    message: `--write is given ${writesMax + 1} times, and the most is ${writesMax}.`,
  });
});

test("--write names what the workspace holds, and what a rule lets be written elsewhere; nothing else", async () => {
  const rule = (target: string, permission: "read" | "write") => ({ target, permission, recursive: true });
  const scope = { allow: [rule("/ws", "write"), rule("/cache", "write"), rule("/usr", "read")], deny: [] };
  const check = (...writes: readonly string[]) => checkWrites(writes, { workspace: "/ws", scope });
  check("/ws", "/ws/a", "/cache", "/cache/a");
  for (const path of ["/usr", "/", "/cached"])
    assert.throws(() => check("/ws", path), {
      code: "usage",
      message: `--write names "${path}", which lies outside of the workspace /ws, and no rule of yours lets the Pod write there: it only narrows what a Pod may write.`,
    });
});
