/** Clients that take their time: to catch up with a long log, and to wait for an answer after they ended their side. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { clientBytesMax, clientEventsMax, encodeLine, lastLinesMs } from "@yoi/protocol";
import { memoryPlace } from "../../../../test/support/connection-pair.ts";
import { servePod } from "../../src/serve/pod-server.ts";
import type { ServedPod } from "../../src/serve/served-pod.ts";
import { eventfulPod } from "./eventful-pod.ts";
import { about, everybody, helloOf, LineClient, served } from "./support.ts";

function optionsOn(host: ReturnType<typeof memoryHost>, place: ReturnType<typeof memoryPlace>) {
  const { timers } = host;
  const redact = (said: string) => said;
  return { listen: place.listen, authorize: everybody, timers, redact, shutdown: () => {} };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 200; i += 1) await Promise.resolve();
}

test("a log larger than what may wait is caught up with: nothing of it is read before it can be taken", async () => {
  const recordBytes = 64 * 1024;
  const records = 2 * (clientBytesMax / recordBytes);
  const json = (seq: number) => JSON.stringify({ seq, batch: seq, ts: 0, kind: "segment_ready" });
  const { pod, log, commit } = eventfulPod();
  while (log.length < records) commit();
  let read = 0;
  const long = Object.create(pod, {
    records: {
      value: async ({ seq: from }: { readonly seq: number }) => {
        read = Math.min(records, from + 1);
        const padded = json(from).replace("}", `,"pad":"${"x".repeat(recordBytes)}"}`);
        return from < records ? [{ seq: from, kind: "segment_ready", json: padded }] : [];
      },
    },
  }) as ServedPod;
  const host = memoryHost({ seed: 1 });
  const place = memoryPlace();
  const server = await servePod(long, optionsOn(host, place));
  const pair = place.connectPair({ bufferBytes: 1_000 });
  await pair.client.write(encodeLine({ id: "h", method: "hello", params: helloOf() }));
  await settle();
  assert.ok(read <= 2, `${read} of ${records} records were read for a client that took none`);
  const client = new LineClient(pair.client);
  await client.snapshot();
  assert.deepEqual(
    client.entries.map(({ seq }) => seq),
    log.map(({ seq }) => seq),
  );
  const closed = server.close();
  await client.closed;
  await closed;
});

test("a client that ended its side gets an answer that takes longer than last lines have", async () => {
  const { pod } = eventfulPod();
  const accepted = Promise.withResolvers<{ id: string; duplicate: boolean }>();
  const slow = Object.create(pod, { notify: { value: () => accepted.promise } }) as ServedPod;
  const host = memoryHost({ seed: 1 });
  const place = memoryPlace();
  const server = await servePod(slow, optionsOn(host, place));
  const client = await LineClient.hello(await place.connect(), { stream: false });
  await client.send({ id: "n", method: "notify", params: { message: "m", submission: "s" } });
  client.connection.end();
  await settle();
  await host.advance(2 * lastLinesMs);
  accepted.resolve({ id: "5", duplicate: false });
  assert.deepEqual(await client.answer("n"), { id: "5", duplicate: false });
  await client.closed;
  await server.close();
});

for (const [what, after] of [
  ["got records in this connection", undefined],
  ["got no record in this connection", { segment: "seg", seq: 4 }],
] as const) {
  test(`a client that is dropped and ${what} is told where it was`, async () => {
    const { pod, tell } = eventfulPod();
    const host = memoryHost({ seed: 1 });
    const memory = memoryPlace();
    const server = await servePod(pod, optionsOn(host, memory));
    const pair = memory.connectPair({ bufferBytes: 20_000 });
    const hello = helloOf(after === undefined ? {} : { after });
    await pair.client.write(encodeLine({ id: "h", method: "hello", params: hello }));
    await settle();
    for (let event = 0; event < clientEventsMax + 600; event += 1) {
      tell();
      // Some of them are taken, so that live lines come behind the last record.
      if (event < 50) await settle();
    }
    const client = new LineClient(pair.client);
    await client.closed;
    const last = client.lines.at(-1);
    assert.ok(last !== undefined && "event" in last && last.event === "resync", JSON.stringify(last));
    assert.deepEqual(last.after, { segment: "seg", seq: 4 });
    await server.close();
  });
}

test("a Pod that closes while its place is being prepared is not served there", async () => {
  const host = memoryHost({ seed: 1 });
  const it = await served({ host });
  const place = memoryPlace();
  const prepared = Promise.withResolvers<void>();
  const serving = it.pod.serve({
    ...optionsOn(host, place),
    about,
    listen: async (accept) => {
      await prepared.promise;
      return place.listen(accept);
    },
  });
  const closed = it.pod.close();
  prepared.resolve();
  await assert.rejects(serving, /^cancelled|This Pod is closing/);
  await closed;
  await assert.rejects(place.connect(), /nobody listens/);
});
