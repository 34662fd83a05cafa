/** A client that is closed while a call is out: it has ended, and nobody goes on asking it. */
import assert from "node:assert/strict";
import test from "node:test";
import { openPodClient, type PodClient, ConnectionLost } from "@yoi/protocol";
import { scriptedPod, stay, welcome } from "../../../protocol/test/client/scripted-pod.ts";
import { endOf } from "../../src/client/end-of.ts";

const asksMax = 100;

test("behind a client that is closed with a call out there is an answer, and timers fire", async () => {
  const pod = scriptedPod(async (served) => {
    await served.say(welcome());
    await stay(served);
  });
  const hello = async () => ({ role: "send_only", token: "t", stream: false }) as const;
  const client = await openPodClient({ connect: pod.connect, hello });
  const out = assert.rejects(client.call("ping", {}), ConnectionLost);
  client.close();
  await out;
  let asks = 0;
  // Whoever asks without end would hold up every timer of the process, and so of this test.
  const call: PodClient["call"] = (method, params) => {
    asks += 1;
    if (asks > asksMax) throw new Error(`asked ${asks} times`);
    return client.call(method, params);
  };
  const ended = endOf({
    call,
    closed: client.closed,
    get ended() {
      return client.ended;
    },
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  await promise;
  assert.equal(await ended, null);
  assert.ok(asks <= 1, `asked ${asks} times`);
});
