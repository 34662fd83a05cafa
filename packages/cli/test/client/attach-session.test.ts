/** What is typed while attached: what it asks of the Pod, and that nothing is allowed that was not named or looked at. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, YoiError } from "@yoi/base";
import { AttachSession, justAppearedMs } from "../../src/client/attach-session.ts";
import type { ReachedPod } from "../../src/client/connect-pod.ts";
import { StreamEnd } from "../../src/client/stream-end.ts";
import { viewOf } from "./view.ts";

const digests = ["01234567aa", "89abcdef00"].map((start) => start.padEnd(64, "0"));
const pending = digests.map((digest, index) => ({
  digest,
  call: callId(4, index),
  tool: "Bash",
  arguments: "{}",
  reason: "rule",
  expires: 0,
}));

function attached() {
  const asked: (readonly [string, object])[] = [];
  const said: string[] = [];
  const clock = { now: 0 };
  const session = new AttachSession({
    name: "p",
    tail: 20,
    json: false,
    waits: true,
    isAttended: true,
    end: new StreamEnd(),
    write: () => {},
    say: (text) => void said.push(text),
    newId: () => "id-1",
    now: () => clock.now,
  });
  const pod = {
    call: async (method: string, params: object) => {
      if (method === "cancel") throw new YoiError("not_running", "Nothing runs.");
      asked.push([method, params]);
    },
    submit: async (method: string, params: object) => void asked.push([method, params]),
  } as unknown as ReachedPod;
  const type = async (line: string) => {
    said.length = 0;
    return { goesOn: await session.typed(line, pod), said: [...said] };
  };
  return { session, asked, clock, type };
}

test("lines become requests; what the Pod refuses is said, and the session goes on", async () => {
  const { asked, type } = attached();
  assert.deepEqual(await type("go"), { goesOn: true, said: [] });
  assert.deepEqual(await type("/pause"), { goesOn: true, said: [] });
  assert.deepEqual(await type("/cancel"), { goesOn: true, said: ["Nothing runs."] });
  assert.deepEqual(await type(""), { goesOn: true, said: [] });
  assert.deepEqual(await type("/detach"), { goesOn: false, said: [] });
  assert.deepEqual(asked, [
    ["submit", { parts: [{ type: "text", text: "go" }], submission: "id-1" }],
    ["pause", {}],
  ]);
});

test("without an ID only one that waits alone, and was on the screen, is allowed", async () => {
  const { session, asked, clock, type } = attached();
  assert.match((await type("/approve")).said.join(), /Nothing waits/);
  const [first, second] = digests;
  session.snapshot(viewOf({ approvals: pending.slice(0, 1) }));
  clock.now = justAppearedMs - 1;
  assert.match((await type("/approve")).said.join(), /only just appeared/);
  clock.now = justAppearedMs;
  await type("/approve");
  session.snapshot(viewOf({ approvals: pending }));
  assert.match((await type("/approve")).said.join(), /Several calls wait/);
  assert.match((await type("/approve 11111111")).said.join(), /No call waits under 11111111/);
  await type("/deny 89abcdef not this one");
  assert.deepEqual(asked, [
    ["answer_approval", { digest: first, answer: "allow" }],
    ["answer_approval", { digest: second, answer: "deny", reason: "not this one" }],
  ]);
  // What was answered or is over waits no more.
  const result = {
    type: "tool_result",
    call: callId(4, 0),
    name: "Bash",
    summary: "No.",
    is_error: true,
  } as const;
  session.entry({ kind: "tool_result", item: result, seq: 9, batch: 9, ts: 0 });
  assert.match((await type("/approve 01234567")).said.join(), /No call waits/);
});
