/** Too many clients, and those that say nothing, end halfway or never read: the Pod goes on for the others, in bounded memory. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { once } from "node:events";
import { connectionsMax } from "@yoi/protocol";
import { mebibyte, memoryGrowthMax } from "./bounds.ts";
import { flood, floodScenario } from "./flood.ts";
import { type HostedPod, Hosting } from "./hosted.ts";
import type { RawClient } from "./raw-client.ts";

const connects = 1_000;
/** Unbounded, each of them would cost as much as the record or the line has. */
const crowd = 24;
const largeBytes = 12 * mebibyte;
/** MiB: less than half of what they would cost each for itself. */
const crowdGrowthMax = 128;
const settleMs = 300;
const hosting = new Hosting();
let pod: HostedPod;
/** Since the beginning, without a word. */
let silent: RawClient;
/** With half a hello. */
let halfway: RawClient;

before(async () => {
  pod = await hosting.startPod("crowd", "steps:\n  - text: done\n");
  silent = await pod.connection();
  halfway = await pod.connection();
  halfway.send('{"id":"hello","method":"hel', "");
});
after(() => hosting[Symbol.asyncDispose]());

async function answers(client: RawClient): Promise<void> {
  assert.deepEqual((await client.ask("ping", { text: "x" })).result, { text: "x" });
}

test(`${connects} connections held open are bounded: who has one keeps it, and when they go others get in`, async (t) => {
  using known = await pod.client();
  const early = await Promise.all(Array.from({ length: 10 }, () => pod.client({ stream: false })));
  const memory = pod.resident();
  pod.forgetPeak();
  const held = await Promise.all(Array.from({ length: connects }, () => pod.connection().catch(() => null)));
  await answers(known);
  const growth = pod.peak() - memory;
  t.diagnostic(`the hosting process grew by ${(growth / mebibyte).toFixed(1)} MiB`);
  assert.ok(growth < memoryGrowthMax, String(growth));
  // Those over the limit are ended by the Pod; a hello says who is left.
  const greeted = await Promise.all(
    held.map((client) =>
      client === null
        ? false
        : client.hello({ token: pod.token, stream: false }).then(
            ({ result }) => result !== undefined,
            () => false,
          ),
    ),
  );
  // How many of the late ones are still inside when they say hello depends on the machine; who said it before is inside.
  const inside = greeted.filter(Boolean).length;
  assert.ok(inside + early.length < connectionsMax, `${inside} of ${connects} got in`);
  for (const client of early) await answers(client);
  for (const client of [...early, ...held]) client?.drop();
  await Promise.all(held.map((client) => client?.closed));
  await answers(known);
  for (let isIn = false; !isIn;) {
    using next = await pod.connection();
    isIn = await next.hello({ token: pod.token, stream: false }).then(
      ({ result }) => result !== undefined,
      () => false,
    );
  }
});

test(`a storm of ${connects} connections that end at once leaves the Pod as it was`, async () => {
  using known = await pod.client();
  for (let made = 0; made < connects; made += 50) {
    const some = await Promise.all(Array.from({ length: 50 }, () => pod.connection().catch(() => null)));
    for (const client of some) client?.drop();
  }
  await answers(known);
});

test("a client that has ended its side still gets its answers and the stream with its snapshot, and then the end", async () => {
  const socket = connect({ path: pod.socket, allowHalfOpen: true });
  await once(socket, "connect");
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const hello = { protocol: 1, role: "user", token: pod.token, stream: true };
  const requests = [
    { id: "h", method: "hello", params: hello },
    { id: "p", method: "ping", params: { text: "x" } },
  ];
  socket.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  await once(socket, "end");
  socket.destroy();
  const lines = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { readonly id?: string; readonly event?: string });
  assert.deepEqual(
    lines.flatMap(({ id = [] }) => id),
    ["h", "p"],
  );
  assert.equal(lines.filter(({ event }) => event === "entry").length, pod.log().length);
  assert.equal(lines.at(-1)?.event, "snapshot");
});

test(`${crowd} clients that read nothing behind a record of ${largeBytes / mebibyte} MiB share it, and as many half lines are bounded together`, async (t) => {
  using known = await pod.client({ stream: false });
  const large = { parts: [{ type: "text", text: "q".repeat(largeBytes) }], submission: "large" };
  await known.ask("submit", large);
  // What its run takes, whose input is far over the window, is no cost of clients.
  while ((await known.ask("show")).result?.["state"] !== "idle") await answers(known);
  const grown = async (what: string, clients: Promise<readonly RawClient[]>) => {
    const held = await clients;
    await answers(known);
    for (const end = performance.now() + settleMs; performance.now() < end;) await answers(known);
    const growth = (pod.peak() - memory) / mebibyte;
    t.diagnostic(`${what}: the hosting process grew by ${growth.toFixed(1)} MiB`);
    assert.ok(growth < crowdGrowthMax, `${what}: ${growth} MiB`);
    for (const client of held) client.drop();
    await Promise.all(held.map((client) => client.closed));
  };
  let memory = pod.resident();
  pod.forgetPeak();
  await grown(
    "unread",
    Promise.all(
      Array.from({ length: crowd }, async () => {
        const client = await pod.connection();
        client.send(
          JSON.stringify({
            id: "h",
            method: "hello",
            params: { protocol: 1, role: "user", token: pod.token, stream: true },
          }),
        );
        client.socket.pause();
        return client;
      }),
    ),
  );
  memory = pod.resident();
  pod.forgetPeak();
  const half = Buffer.alloc(largeBytes, "x");
  await grown(
    "half lines",
    Promise.all(
      Array.from({ length: crowd }, async () => {
        const client = await pod.client({ stream: false });
        await new Promise((taken) => client.socket.write(half, taken));
        return client;
      }),
    ),
  );
});

test("a client that never reads is dropped, and slows nobody", async (t) => {
  await using flooded = new Hosting();
  const shape = { steps: 4, deltas: 5_000 };
  const { growth, events } = await flood(await flooded.startPod("flood", floodScenario(shape)), shape);
  t.diagnostic(`${events} events; the hosting process grew by ${(growth / mebibyte).toFixed(1)} MiB`);
  assert.ok(growth < memoryGrowthMax, String(growth));
});

test("a cancel gets through to a run that answers as fast as it can", async () => {
  await using flooded = new Hosting();
  const target = await flooded.startPod("long", floodScenario({ steps: 1, deltas: 500_000 }));
  using client = await target.client();
  await client.until("the snapshot", () => client.snapshot !== null);
  await client.ask("submit", { parts: [{ type: "text", text: "go" }], submission: "s" });
  await client.until("its answer", () => client.live.some(({ type }) => type === "delta"));
  assert.deepEqual((await client.ask("cancel")).result, {});
  await client.until("its end", () => client.runsEnded > 0);
  assert.ok(client.live.length < 500_000, `${client.live.length} events came`);
  assert.equal(client.entries.at(-1)?.kind, "run_completed");
  assert.equal(client.entries.at(-1)?.["result"], "cancelled");
});

test("who says no hello, or half of one, is not kept", async () => {
  await Promise.all([silent.closed, halfway.closed]);
  using known = await pod.client();
  await answers(known);
});
