/** Calls of a client: answers by id, and what becomes of a call when there is none. */
import assert from "node:assert/strict";
import test from "node:test";
import { YoiError } from "@yoi/base";
import {
  ConnectionLost,
  encodeLine,
  frameBytesMax,
  openPodClient,
  RequestRefused,
  submitOnce,
  type Request,
} from "../../src/index.ts";
import { atOnce, scriptedPod, stay, welcome, type Served } from "./scripted-pod.ts";

const silentHello = async () => ({ role: "send_only", token: "t", stream: false }) as const;
const parts = [{ type: "text", text: "Go." }] as const;

async function taken(served: Served, count: number): Promise<readonly Request[]> {
  const requests: Request[] = [];
  while (requests.length < count) {
    const request = await served.next();
    if (request === null) throw new Error("the client has gone");
    requests.push(request);
  }
  return requests;
}

test("answers find their calls by id, in any order and in any pieces", async () => {
  const pod = scriptedPod(async (served) => {
    await served.say(welcome());
    const requests = await taken(served, 20);
    const lines = requests
      .toReversed()
      .map(({ id, params }) => encodeLine({ id, result: { ...params } as object }));
    const bytes = Buffer.concat(lines);
    for (let at = 0; at < bytes.length; at += 7) await served.say(bytes.subarray(at, at + 7));
    await stay(served);
  });
  const client = await openPodClient({ connect: pod.connect, hello: silentHello });
  const texts = Array.from({ length: 20 }, (_, index) => `call ${index}`);
  const answers = await Promise.all(texts.map((text) => client.call("ping", { text })));
  assert.deepEqual(
    answers.map(({ text }) => text),
    texts,
  );
  client.close();
  await client.closed;
});

test("a refusal is its call's alone", async () => {
  const error = { code: "already_running", message: "A run goes on.", cause: "run" } as const;
  const pod = scriptedPod(async (served) => {
    await served.say(welcome());
    const [submit, ping] = await taken(served, 2);
    await served.say({ id: submit?.id ?? "", error }, { id: ping?.id ?? "", result: {} });
    await stay(served);
  });
  const client = await openPodClient({ connect: pod.connect, hello: silentHello });
  const submitted = assert.rejects(
    client.call("submit", { parts, submission: "s" }),
    (refused) => refused instanceof RequestRefused && assert.deepEqual(refused.error, error) === undefined,
  );
  assert.deepEqual(await client.call("ping", {}), {});
  await submitted;
  client.close();
  await client.closed;
});

for (const { name, answer, why } of [
  {
    name: "an id that was never used",
    answer: (id: string) => encodeLine({ id: `${id}0`, result: {} }),
    why: /^The Pod answered a request that nobody waits for\.$/,
  },
  {
    name: "the same answer twice",
    answer: (id: string) => Buffer.concat([encodeLine({ id, result: {} }), encodeLine({ id, result: {} })]),
    why: /^The Pod answered a request that nobody waits for\.$/,
  },
  {
    name: "a result of another method",
    answer: (id: string) => encodeLine({ id, result: { text: 7 } as object }),
    why: /^The Pod's answer to ping cannot be read: /,
  },
  { name: "no JSON", answer: () => Buffer.from("hello?\n"), why: /^What the Pod says cannot be read: / },
  { name: "not UTF-8", answer: () => Buffer.from([0x22, 0xff, 0x22, 0x0a]), why: /UTF-8/ },
  {
    name: "an event that was not asked for",
    answer: () => encodeLine({ event: "entry_omitted", seq: 0, kind: "x", bytes: 1 }),
    why: /not asked for/,
  },
]) {
  test(`what breaks the protocol ends the connection, and with it every call: ${name}`, async () => {
    const pod = scriptedPod(async (served) => {
      await served.say(welcome());
      const [, second] = await taken(served, 2);
      await served.say(answer(second?.id ?? ""));
      await stay(served);
    });
    const client = await openPodClient({ connect: pod.connect, hello: silentHello });
    const lost = (error: unknown) => error instanceof ConnectionLost && why.test(error.message);
    const first = assert.rejects(client.call("ping", {}), lost);
    const second = client.call("ping", {}).then(
      (result) => assert.deepEqual(result, {}),
      (error) => assert.ok(lost(error)),
    );
    await Promise.all([first, second]);
    assert.ok(lost(await client.closed));
    await assert.rejects(client.call("ping", {}), lost);
  });
}

for (const { error, isFinal } of [
  { error: { code: "internal", cause: "log_damaged", message: "The log is not the one." }, isFinal: true },
  { error: { code: "internal", cause: "io_failed", message: "The log is gone." }, isFinal: true },
  { error: { code: "invalid_request", message: "Not JSON." }, isFinal: true },
  { error: { code: "internal", cause: "disk_full", message: "No space." }, isFinal: false },
  { error: { code: "busy", message: "Too many." }, isFinal: false },
] as const)
  test(`an error without an id ends the connection with its own sentence: ${error.message} ${isFinal ? "No other is tried." : "Another is tried."}`, async () => {
    const pod = scriptedPod(async (served, index) => {
      await served.say(welcome());
      await taken(served, 1);
      if (index === 0) await served.say({ id: null, error });
      else await served.say({ id: "2", result: {} });
      await stay(served);
    });
    const told: string[] = [];
    const listener = {
      entry: () => {},
      snapshot: () => {},
      live: () => {},
      disconnected: (why: string) => told.push(why),
    };
    const client = await openPodClient({
      connect: pod.connect,
      hello: silentHello,
      again: atOnce(),
      listener,
    });
    const why = isFinal ? RequestRefused : ConnectionLost;
    await assert.rejects(
      client.call("ping", {}),
      (thrown) => thrown instanceof why && thrown.message === error.message,
    );
    if (isFinal) {
      const end = await client.closed;
      assert.ok(end instanceof RequestRefused && end.error.code === error.code);
    } else {
      assert.deepEqual(await client.call("ping", {}), {});
      assert.deepEqual(told, [error.message]);
    }
    client.close();
    await client.closed;
  });

test("a call that a connection took with it is lost, and one made between two connections goes over the next", async () => {
  const pod = scriptedPod(async (served, index) => {
    await served.say(welcome());
    const [request] = await taken(served, 1);
    if (index === 0) return;
    await served.say({ id: request?.id ?? "", result: { text: `over connection ${index}` } });
    await stay(served);
  });
  const client = await openPodClient({ connect: pod.connect, hello: silentHello, again: atOnce() });
  await assert.rejects(client.call("ping", {}), new ConnectionLost("The Pod ended the connection."));
  assert.equal(client.ended, false);
  assert.deepEqual(await client.call("ping", {}), { text: "over connection 1" });
  client.close();
  await client.closed;
});

test("a request that is larger than a frame is refused with the limit, and nothing of it is sent", async () => {
  const pod = scriptedPod(async (served) => {
    await served.say(welcome());
    const [request] = await taken(served, 1);
    await served.say({ id: request?.id ?? "", result: { text: request?.method ?? "" } });
    await stay(served);
  });
  const client = await openPodClient({ connect: pod.connect, hello: silentHello });
  const text = "a".repeat(frameBytesMax);
  await assert.rejects(
    client.call("submit", { parts: [{ type: "text", text }], submission: "s" }),
    (error) =>
      error instanceof YoiError && error.code === "limit_exceeded" && error.message.includes("16777216"),
  );
  assert.deepEqual(await client.call("ping", {}), { text: "ping" });
  client.close();
  await client.closed;
});

test("a submission is repeated under its name until it is answered", async () => {
  const seen: string[] = [];
  const pod = scriptedPod(async (served, index) => {
    await served.say(welcome());
    const [request] = await taken(served, 1);
    if (request?.method === "submit") seen.push(request.params.submission);
    // Taken, and its answer lost or cut; then known.
    if (index === 1) await served.say(Buffer.from(`{"id":"${request?.id}","resu`));
    if (index < 2) return;
    await served.say({ id: request?.id ?? "", result: { id: "4", duplicate: true } });
    await stay(served);
  });
  const client = await openPodClient({ connect: pod.connect, hello: silentHello, again: atOnce() });
  assert.deepEqual(await submitOnce(client, "submit", { parts, submission: "mine" }), {
    id: "4",
    duplicate: true,
  });
  assert.deepEqual(seen, ["mine", "mine", "mine"]);
  client.close();
  await client.closed;
});

test("a submission is not repeated once it was refused, or the client has ended", async () => {
  const refused = scriptedPod(async (served) => {
    await served.say(welcome());
    const [request] = await taken(served, 1);
    await served.say({ id: request?.id ?? "", error: { code: "closing", message: "It closes." } });
    await stay(served);
  });
  const client = await openPodClient({ connect: refused.connect, hello: silentHello, again: atOnce() });
  await assert.rejects(submitOnce(client, "notify", { message: "m", submission: "s" }), RequestRefused);
  const closing = assert.rejects(
    submitOnce(client, "notify", { message: "m", submission: "s" }),
    new ConnectionLost("The client was closed."),
  );
  client.close();
  await closing;
  await client.closed;

  const ending = scriptedPod(async (served) => {
    await served.say(welcome());
    await taken(served, 1);
  });
  const once = await openPodClient({ connect: ending.connect, hello: silentHello });
  await assert.rejects(submitOnce(once, "submit", { parts, submission: "s" }), ConnectionLost);
  assert.ok((await once.closed) instanceof ConnectionLost);
});
