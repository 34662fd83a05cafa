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

test("a client that has ended its side still gets its answers, and then the end", async () => {
  const socket = connect({ path: pod.socket, allowHalfOpen: true });
  await once(socket, "connect");
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const hello = { protocol: 1, role: "user", token: pod.token, stream: false };
  const requests = [
    { id: "h", method: "hello", params: hello },
    { id: "p", method: "ping", params: { text: "x" } },
  ];
  socket.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  await once(socket, "end");
  socket.destroy();
  const ids = text
    .split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { id: string }).id);
  assert.deepEqual(ids, ["h", "p"]);
});

test("a client that never reads is dropped, and slows nobody", async (t) => {
  await using flooded = new Hosting();
  const target = await flooded.startPod("flood", floodScenario({ steps: 100, deltas: 200 }));
  const { growth, events } = await flood(target);
  t.diagnostic(`${events} events; the hosting process grew by ${(growth / mebibyte).toFixed(1)} MiB`);
  assert.ok(growth < memoryGrowthMax, String(growth));
});

test("who says no hello, or half of one, is not kept", async () => {
  await Promise.all([silent.closed, halfway.closed]);
  using known = await pod.client();
  await answers(known);
});
