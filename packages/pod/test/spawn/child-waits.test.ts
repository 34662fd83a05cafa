/** A child that waits for its user: its parent is told so once, and not where the user was faster. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type EntryBody } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { cursorOf, parentOf, waiting } from "./hearing-parent.ts";
import { finished, invoke, WrittenChild } from "./written-child.ts";

const asked = (n: number): EntryBody => ({
  kind: "approval_asked",
  call: callId(1, n),
  digest: "0".repeat(64),
  reason: "the mode ask",
  expires: 1,
});
const answered = (n: number): EntryBody => ({
  kind: "approval_answered",
  call: callId(1, n),
  digest: "0".repeat(64),
  answer: "allow",
});
const refused = (n: number): EntryBody => ({
  kind: "tool_result",
  item: { type: "tool_result", call: callId(1, n), name: "Write", summary: "It expired.", is_error: true },
});

const waits = "The Pod kid waits for the user to allow or deny a call (the mode ask).";
const done = "The Pod kid finished its run.";

const rows: readonly (readonly [what: string, log: readonly EntryBody[], told: readonly string[]])[] = [
  ["one call waits", [asked(0)], [waits]],
  ["two wait", [asked(0), asked(1)], [waits, waits]],
  ["one of two was answered", [asked(0), asked(1), answered(0)], [waits]],
  ["it was answered", [asked(0), answered(0)], []],
  ["it expired", [asked(0), refused(0)], []],
  ["the run ended", [asked(0), finished], [done]],
  ["another run waits", [asked(0), finished, invoke, asked(1)], [done, waits]],
];
for (const [what, log, told] of rows) {
  test(`${what}: ${told.length} told, and never again`, async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const { parts, events } = await parentOf(host, kid);
    await kid.append(invoke, ...log);
    await events.lookAtAll();
    assert.deepEqual(waiting(parts), told);
    await kid.append({ kind: "invoke", trigger: "user_send" });
    await events.lookAtAll();
    assert.deepEqual(waiting(parts), told);
    await events.close();
    await parts.close();
  });
}

test("one that was told is answered later: nothing is told of that, and its end is", async () => {
  const host = memoryHost({ seed: 1 });
  const kid = await new WrittenChild(host).begin();
  const { parts, events } = await parentOf(host, kid);
  await kid.append(invoke, asked(0));
  await events.lookAtAll();
  const at = cursorOf(parts);
  await kid.append(answered(0));
  await events.lookAtAll();
  assert.deepEqual([waiting(parts), cursorOf(parts)], [[waits], at]);
  await kid.append(finished);
  await events.lookAtAll();
  assert.deepEqual(waiting(parts), [waits, done]);
  await events.close();
  await parts.close();
});
