/** openPodClient: connecting, connecting again, and ending. */
import assert from "node:assert/strict";
import test from "node:test";
import { ConnectionLost, encodeLine, openPodClient, protocolVersion } from "../../src/index.ts";
import {
  atOnce,
  entryEvent,
  instantTimers,
  liveEvent,
  middling,
  scriptedPod,
  segment,
  snapshotEvent,
  stay,
  userHello,
  welcome,
} from "./scripted-pod.ts";
import { told } from "./told.ts";

test("a client says hello and is told the stream in its order", async () => {
  const heard = told();
  const pod = scriptedPod(async (served) => {
    await served.say(welcome(), entryEvent(0), snapshotEvent({ n: 3 }), liveEvent(4), entryEvent(1));
    await stay(served);
  });
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    listener: heard.listener,
  });
  await heard.until("entry 1");
  client.close();
  assert.equal(await client.closed, null);
  assert.deepEqual(heard.lines, ["entry 0", "snapshot 0 alerts ", "live 4", "entry 1"]);
  assert.deepEqual(pod.hellos, [
    { protocol: protocolVersion, role: "user", token: "t", client: "test", stream: true },
  ]);
});

test("an event of a later release is passed over", async () => {
  const heard = told();
  const pod = scriptedPod(async (served) => {
    await served.say(welcome(), entryEvent(0), Buffer.from('{"event":"weather","sky":[1]}\n'));
    await served.say(snapshotEvent({ n: 3 }), Buffer.from('{"event":"live","n":4,"live":{"type":"rain"}}\n'));
    await served.say(liveEvent(5));
    await stay(served);
  });
  const client = await openPodClient({ connect: pod.connect, hello: userHello, listener: heard.listener });
  await heard.until("live 5");
  client.close();
  await client.closed;
  assert.deepEqual(heard.lines.slice(0, 3), ["entry 0", "snapshot 0 alerts ", "live 5"]);
});

test("a client connects again behind the last entry that was told, with a hello asked for anew", async () => {
  const heard = told();
  const pod = scriptedPod(async (served, index) => {
    if (index === 0) await served.say(welcome(), entryEvent(0), entryEvent(1));
    // Cut before the answer to the hello, and in the middle of it.
    else if (index === 2) await served.say(welcome({ from: 2 }).subarray(0, 20));
    else if (index === 3) {
      await served.say(welcome({ from: 2 }), snapshotEvent({ seq: 1 }), { event: "resync", after: null });
    } else if (index === 4) {
      await served.say(welcome({ from: 2 }), entryEvent(2), snapshotEvent({ seq: 2 }));
      await stay(served);
    }
  });
  let tokens = 0;
  const client = await openPodClient({
    connect: pod.connect,
    hello: async () => ({ role: "user", token: `t${(tokens += 1)}`, stream: true }),
    listener: heard.listener,
    again: atOnce(),
  });
  await heard.until("snapshot 2");
  client.close();
  assert.equal(await client.closed, null);
  assert.deepEqual(heard.lines, [
    "entry 0",
    "entry 1",
    "disconnected: The Pod ended the connection.",
    "snapshot 1 alerts ",
    "disconnected: The Pod dropped this client: it was too slow.",
    "entry 2",
    "snapshot 2 alerts ",
  ]);
  assert.deepEqual(
    pod.hellos.map(({ token, after }) => [token, after]),
    [["t1", undefined], ...["t2", "t3", "t4", "t5"].map((token) => [token, { segment, seq: 1 }])],
  );
});

test("a client that was given a place begins behind it, and hears when that is gone", async () => {
  const heard = told();
  const pod = scriptedPod(async (served) => {
    await served.say(welcome(), entryEvent(0), snapshotEvent({}));
    await stay(served);
  });
  const after = { segment: "01920000-0000-7000-8000-00000000000f", seq: 7 };
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    listener: heard.listener,
    after,
  });
  await heard.until("snapshot");
  client.close();
  await client.closed;
  assert.deepEqual(pod.hellos[0]?.after, after);
  assert.deepEqual(heard.lines.slice(0, 3), [`restarted ${segment}`, "entry 0", "snapshot 0 alerts "]);
});

test("waits between connections double up to a maximum, and begin anew once something came", async () => {
  const { timers, sleptMs } = instantTimers();
  const pod = scriptedPod(async (served, index) => {
    // All others end before the hello is answered.
    if (index === 0 || index === 9) await served.say(welcome(), entryEvent(0));
  });
  const heard = told();
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    listener: heard.listener,
    // Half of the jitter: three quarters of the full time.
    again: { timers, random: middling, until: () => pod.hellos.length < 11 },
  });
  const why = await client.closed;
  assert.ok(why instanceof ConnectionLost);
  assert.deepEqual(
    sleptMs,
    [50, 100, 200, 400, 800, 1600, 2000, 2000, 2000, 50].map((ms) => ms * 0.75),
  );
});

test("without `again`, and when `until` says no, the end of the connection is the end of the client", async () => {
  for (const again of [undefined, atOnce(() => false)]) {
    const pod = scriptedPod(async (served) => served.say(welcome(), entryEvent(0), entryEvent(2)));
    const client = await openPodClient({
      connect: pod.connect,
      hello: userHello,
      ...(again === undefined ? {} : { again }),
    });
    const why = await client.closed;
    assert.ok(why instanceof ConnectionLost);
    assert.equal(why.message, "The Pod sent entry 2 where entry 1 comes next.");
    assert.equal(pod.hellos.length, 1);
    assert.equal(client.ended, true);
  }
});

test("`until` is asked before each wait, and again before each connection", async () => {
  const { timers, sleptMs } = instantTimers();
  const pod = scriptedPod(async (served) => served.say(welcome()));
  let asked = 0;
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    again: { timers, random: middling, until: () => (asked += 1) < 4 },
  });
  assert.ok((await client.closed) instanceof ConnectionLost);
  assert.deepEqual(
    { asked, waits: sleptMs.length, connections: pod.hellos.length },
    { asked: 4, waits: 2, connections: 2 },
  );
});

test("close ends a wait for the next connection", async () => {
  const pod = scriptedPod(async (served) => served.say(welcome()));
  const sleeping = Promise.withResolvers<void>();
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    again: {
      random: middling,
      timers: {
        ...instantTimers().timers,
        sleep: (_delayMs, signal) => {
          sleeping.resolve();
          return new Promise((_resolve, reject) =>
            signal?.addEventListener("abort", () => reject(signal.reason)),
          );
        },
      },
    },
  });
  await sleeping.promise;
  const waiting = assert.rejects(client.call("ping", {}), new ConnectionLost("The client was closed."));
  client.close();
  client.close();
  assert.equal(await client.closed, null);
  await waiting;
  assert.equal(pod.hellos.length, 1);
});

test("nothing is told behind a close, though it has arrived", async () => {
  const heard = told();
  const pod = scriptedPod(async (served) => {
    await served.say(welcome());
    await served.next();
    await served.say(Buffer.concat([0, 1, 2].map((seq) => encodeLine(entryEvent(seq)))));
    await stay(served);
  });
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    listener: {
      ...heard.listener,
      entry: (entry) => {
        heard.listener.entry(entry);
        if (entry.seq === 1) client.close();
      },
    },
  });
  await assert.rejects(client.call("ping", {}), new ConnectionLost("The client was closed."));
  assert.equal(await client.closed, null);
  assert.deepEqual(heard.entries, [0, 1]);
});

test("what a listener throws ends the client, and is its reason", async () => {
  const broken = new Error("a bug of the listener");
  const pod = scriptedPod(async (served) => {
    await served.say(welcome());
    await served.next();
    await served.say(entryEvent(0));
    await stay(served);
  });
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    listener: {
      ...told().listener,
      entry: () => {
        throw broken;
      },
    },
    again: atOnce(),
  });
  await assert.rejects(client.call("ping", {}), broken);
  assert.equal(await client.closed, broken);
  assert.equal(pod.hellos.length, 1);
});
