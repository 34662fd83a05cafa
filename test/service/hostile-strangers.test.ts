/** Who is not the user: a missing, wrong or old token, a role that may not. None gets anything, and the Pod is as before. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type HostedPod, Hosting } from "./hosted.ts";

const hosting = new Hosting();
let pod: HostedPod;

before(async () => {
  pod = await hosting.startPod("strangers", "steps:\n  - text: done\n");
});
after(() => hosting[Symbol.asyncDispose]());

for (const [what, hello] of [
  ["no token", { token: "" }],
  ["a wrong one", { token: "0".repeat(64) }],
  ["a part of the right one", { token: "half" }],
  ["a child that shows the user's", { role: "child" }],
  ["a role that there is not", { role: "root" }],
] as const) {
  test(`refused: ${what}`, async () => {
    using client = await pod.connection();
    const shown =
      "token" in hello ? (hello.token === "half" ? pod.token.slice(0, 32) : hello.token) : pod.token;
    const { error, result } = await client.hello({ ...hello, token: shown });
    assert.equal(result, undefined);
    assert.ok(error?.code === "unauthorized" || error?.code === "invalid_request", JSON.stringify(error));
    await client.closed;
    assert.equal(client.entries.length, 0);
    assert.equal(client.snapshot, null);
  });
}

test("a request before the hello is refused, and nothing is done", async () => {
  using client = await pod.connection();
  const answer = client.ask("submit", { parts: [{ type: "text", text: "go" }], submission: "early" });
  await answer.then(
    ({ error }) => assert.ok(error !== undefined),
    () => undefined,
  );
  await client.closed;
  assert.ok(!pod.log().some(({ kind }) => kind === "user_input"));
});

test("a token that was replaced is old at once, for the Pod that runs", async () => {
  const old = pod.token;
  writeFileSync(join(hosting.home.home, "run", "token"), "5".repeat(64));
  using refused = await pod.connection();
  assert.equal((await refused.hello({ token: old })).error?.code, "unauthorized");
  using known = await pod.client({ stream: false });
  assert.deepEqual((await known.ask("ping", { text: "x" })).result, { text: "x" });
});

test("a newer protocol is answered with the versions that are spoken", async () => {
  using client = await pod.connection();
  const { error } = await client.hello({ token: pod.token, protocol: 99 });
  assert.equal(error?.code, "protocol_unsupported");
  assert.deepEqual(error?.versions, [1]);
});

for (const [role, methods] of [
  ["peer", ["answer_approval", "cancel", "pause", "resume", "shutdown"]],
  ["send_only", ["answer_approval", "cancel", "pause", "resume", "shutdown", "show"]],
] as const) {
  test(`a ${role} may not: ${methods.join(", ")}`, async () => {
    using client = await pod.client({ role, stream: false });
    for (const method of methods) {
      const params = method === "answer_approval" ? { digest: "0".repeat(64), answer: "allow" } : {};
      assert.equal((await client.ask(method, params)).error?.code, "forbidden", method);
    }
  });
}
