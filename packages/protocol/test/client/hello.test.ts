/** The first line of a connection: refused, not answered, not even reached; at first, and when a client comes back. */
import assert from "node:assert/strict";
import test from "node:test";
import { YoiError } from "@yoi/base";
import {
  ConnectionLost,
  encodeLine,
  openPodClient,
  RequestRefused,
  type ProtocolErrorCode,
} from "../../src/index.ts";
import { atOnce, entryEvent, instantTimers, scriptedPod, stay, userHello, welcome } from "./scripted-pod.ts";
import { told } from "./told.ts";

function refusal(code: ProtocolErrorCode): Uint8Array {
  return encodeLine({ id: "hello", error: { code, message: `No: ${code}.`, versions: [7] } });
}

for (const code of [
  "unauthorized",
  "forbidden",
  "protocol_unsupported",
  "invalid_request",
  "busy",
] as const) {
  test(`a first hello refused as ${code} is thrown, and nothing is tried again`, async () => {
    const pod = scriptedPod(async (served) => served.say(refusal(code)));
    await assert.rejects(
      openPodClient({ connect: pod.connect, hello: userHello, again: atOnce() }),
      (error) => {
        assert.ok(error instanceof RequestRefused);
        assert.deepEqual(error.error, { code, message: `No: ${code}.`, versions: [7] });
        return true;
      },
    );
    assert.equal(pod.hellos.length, 1);
  });
}

for (const code of ["unauthorized", "forbidden", "protocol_unsupported", "invalid_request"] as const) {
  test(`a later hello refused as ${code} ends the client`, async () => {
    const pod = scriptedPod(async (served, index) => {
      await served.say(index === 0 ? welcome() : refusal(code));
    });
    const client = await openPodClient({ connect: pod.connect, hello: userHello, again: atOnce() });
    const why = await client.closed;
    assert.ok(why instanceof RequestRefused);
    assert.equal(why.error.code, code);
    assert.equal(client.ended, true);
    await assert.rejects(client.call("ping", {}), (error) => error === why);
    assert.equal(pod.hellos.length, 2);
  });
}

for (const code of ["busy", "closing", "internal"] as const) {
  test(`a later hello refused as ${code} is tried again`, async () => {
    const pod = scriptedPod(async (served, index) => {
      await served.say(index === 1 ? refusal(code) : welcome());
      if (index === 2) await stay(served);
    });
    const heard = told();
    const client = await openPodClient({
      connect: pod.connect,
      hello: userHello,
      listener: heard.listener,
      again: atOnce(() => pod.hellos.length < 3),
    });
    await heard.until("disconnected");
    client.close();
    assert.equal(await client.closed, null);
  });
}

test("a Pod that cannot be reached is not tried again at first, and is later", async () => {
  const unreachable = new YoiError("pod_unreachable", "Nobody is there.");
  await assert.rejects(
    openPodClient({
      connect: () => Promise.reject(unreachable),
      hello: userHello,
      again: atOnce(),
    }),
    unreachable,
  );
  const noToken = new Error("no token yet");
  await assert.rejects(
    openPodClient({
      connect: scriptedPod(stay).connect,
      hello: () => Promise.reject(noToken),
      again: atOnce(),
    }),
    noToken,
  );

  const pod = scriptedPod(async (served, index) => {
    await served.say(welcome());
    if (index === 1) await stay(served);
  });
  const steps: string[] = [];
  let tries = 0;
  const client = await openPodClient({
    connect: async () => {
      tries += 1;
      if (tries === 2) throw unreachable;
      return pod.connect();
    },
    hello: async () => {
      steps.push("hello");
      if (steps.length === 2) throw noToken;
      return userHello();
    },
    listener: {
      ...told().listener,
      restarted: () => {},
      disconnected: () => steps.push("disconnected"),
    },
    again: atOnce(() => tries < 3),
  });
  while (pod.hellos.length < 2) await new Promise((resolve) => setImmediate(resolve));
  client.close();
  assert.equal(await client.closed, null);
  assert.equal(tries, 3);
});

test("a hello that is not answered in its time is as a Pod that cannot be reached", async () => {
  const armed: number[] = [];
  let pending = 0;
  /** Passes only for connections of an index that hangs. */
  const timeoutOf = (hangs: () => boolean) => ({
    ms: 700,
    timers: {
      ...instantTimers().timers,
      after: (delayMs: number, fire: () => void) => {
        armed.push(delayMs);
        pending += 1;
        let isOver = false;
        const over = () => {
          if (!isOver) pending -= 1;
          isOver = true;
        };
        if (hangs()) {
          setImmediate(() => {
            over();
            fire();
          });
        }
        return over;
      },
    },
  });
  const isUnreachable = (error: unknown) => error instanceof YoiError && error.code === "pod_unreachable";
  const mute = scriptedPod(stay);
  await assert.rejects(
    openPodClient({
      connect: mute.connect,
      hello: userHello,
      helloTimeout: timeoutOf(() => true),
      again: atOnce(),
    }),
    isUnreachable,
  );
  assert.equal(mute.hellos.length, 1);

  const pod = scriptedPod(async (served, index) => {
    if (index !== 1) await served.say(welcome());
    if (index > 0) await stay(served);
    else await served.next();
  });
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    helloTimeout: timeoutOf(() => armed.length === 3),
    again: atOnce(),
  });
  assert.equal(pending, 0, "nothing is waited for once the hello is answered");
  await assert.rejects(client.call("ping", {}), ConnectionLost);
  while (pod.hellos.length < 3) await new Promise((resolve) => setImmediate(resolve));
  client.close();
  assert.equal(await client.closed, null);
  assert.deepEqual({ armed, pending }, { armed: [700, 700, 700, 700], pending: 0 });
});

test("a connection that is lost before the first hello is answered is tried again, and thrown where that is not wanted", async () => {
  const pod = scriptedPod(async (served, index) => {
    if (index === 0) return;
    await served.say(welcome());
    await stay(served);
  });
  const client = await openPodClient({ connect: pod.connect, hello: userHello, again: atOnce() });
  client.close();
  await client.closed;
  assert.equal(pod.hellos.length, 2);
  await assert.rejects(
    openPodClient({ connect: scriptedPod(async () => {}).connect, hello: userHello }),
    new ConnectionLost("The Pod ended the connection."),
  );
});

for (const { name, line, why } of [
  { name: "an event", line: encodeLine(entryEvent(0)), why: /something else before it answered the hello/ },
  {
    name: "an answer to another request",
    line: encodeLine({ id: "1", result: {} }),
    why: /something else before it answered the hello/,
  },
  {
    name: "a result without a segment",
    line: encodeLine({ id: "hello", result: { protocol: 1 } as object }),
    why: /^The Pod's answer to hello cannot be read: /,
  },
  {
    name: "a result in another protocol",
    line: Buffer.from(Buffer.from(welcome()).toString().replace('"protocol":1', '"protocol":2')),
    why: /in protocol 2, not in 1/,
  },
  { name: "a start in the middle", line: welcome({ from: 3 }), why: /begins at entry 3/ },
]) {
  test(`what is no answer to a hello ends the connection: ${name}`, async () => {
    const pod = scriptedPod(async (served) => {
      await served.say(line);
      await stay(served);
    });
    await assert.rejects(
      openPodClient({ connect: pod.connect, hello: userHello }),
      (error) => error instanceof ConnectionLost && why.test(error.message),
    );
  });
}
