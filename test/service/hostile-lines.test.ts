/** What is no request: lines without an end, and lines that nobody can read. The sender alone is told, and the Pod lives. */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { mebibyte } from "./bounds.ts";
import { hugeLine } from "./huge-line.ts";
import { Hosting } from "./hosted.ts";

for (const when of ["before hello", "after hello"] as const) {
  test(`a line of 64 MB ${when} is bounded, and the Pod alive`, async (t) => {
    const growth = await hugeLine(64 * mebibyte, when);
    t.diagnostic(`the hosting process grew by ${(growth / mebibyte).toFixed(1)} MiB`);
  });
}

const seed = 7;
const garbageLines = 2_000;

/** Of every kind; none is a request. */
function garbage(): readonly Buffer[] {
  const random = seededRandom(seed);
  const bytes = () =>
    Buffer.from(random.bytes(1 + random.below(200)).map((byte) => (byte === 10 ? 11 : byte)));
  const kinds: readonly (() => Buffer)[] = [
    bytes,
    () => Buffer.from(`{"id":"${bytes().toString("hex")}`),
    () => Buffer.from("[".repeat(1 + random.below(5_000))),
    () => Buffer.from(JSON.stringify([null, 1, "text"])),
    () => Buffer.from(JSON.stringify({ id: 7, method: "ping", params: {} })),
    () => Buffer.from(JSON.stringify({ id: "g", method: bytes().toString("latin1"), params: {} })),
    () => Buffer.from(JSON.stringify({ id: "g", method: "__proto__", params: {} })),
    () => Buffer.from(JSON.stringify({ id: "g", method: "submit", params: { parts: "x", submission: 1 } })),
    () => Buffer.from(JSON.stringify({ id: "x".repeat(200), method: "ping", params: {} })),
    () => Buffer.from(JSON.stringify({ id: "g", method: "hello", params: { role: "user", token: "x" } })),
  ];
  return Array.from({ length: garbageLines }, () => (kinds[random.below(kinds.length)] ?? bytes)());
}

test(`${garbageLines} lines of garbage (seed ${seed}) are refused to their sender alone, and the Pod is alive`, async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("garbage", "steps:\n  - text: done\n");
  using bystander = await pod.client();
  await bystander.until("the snapshot", () => bystander.snapshot !== null);
  const { lines } = bystander;
  let refused = 0;
  let connections = 0;
  const left = [...garbage()];
  while (left.length > 0) {
    using client = await pod.client({ stream: false });
    connections += 1;
    // The Pod may end the connection at any of them: the next one goes on with the rest.
    while (left.length > 0 && !client.isClosed) {
      const lines = client.lines;
      client.socket.write(Buffer.concat([left.shift() ?? Buffer.alloc(0), Buffer.from("\n")]));
      await client.until("an answer", () => client.lines > lines).catch(() => undefined);
      refused += client.lines - lines;
    }
  }
  assert.ok(refused > garbageLines / 2, `${refused} answers over ${connections} connections`);
  assert.equal(bystander.lines, lines, "nobody else was told");
  assert.deepEqual((await bystander.ask("ping", { text: "x" })).result, { text: "x" });
  assert.ok(!pod.log().some(({ kind }) => kind === "user_input"), "nothing of it came on record");
});
