/** A line without an end: how much memory it costs a Pod, and what becomes of its client and of the others. */
import assert from "node:assert/strict";
import { mebibyte, memoryGrowthMax } from "./bounds.ts";
import { type HostedPod, Hosting } from "./hosted.ts";

const piece = Buffer.alloc(mebibyte, "x");

/** What the Pod's resident memory grew by at most, in bytes. */
export async function hugeLine(bytes: number, when: "before hello" | "after hello"): Promise<number> {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("huge", "steps:\n  - text: done\n");
  using bystander = await pod.client();
  await bystander.until("the snapshot", () => bystander.snapshot !== null);
  const lines = bystander.lines;
  const before = pod.resident();
  pod.forgetPeak();
  await pourLine(pod, bytes, when);
  const growth = pod.peak() - before;
  const { result } = await bystander.ask("ping", { text: "still there" });
  assert.deepEqual(result, { text: "still there" });
  assert.equal(bystander.lines, lines + 1, "nobody else was told");
  assert.ok(growth < memoryGrowthMax, `it grew by ${(growth / mebibyte).toFixed(1)} MiB`);
  return growth;
}

/** The Pod may answer or not; it has to end the connection. */
async function pourLine(pod: HostedPod, bytes: number, when: "before hello" | "after hello"): Promise<void> {
  using client = await pod.connection();
  if (when === "after hello") await client.hello({ token: pod.token, stream: false });
  for (let sent = 0; sent < bytes && !client.isClosed; sent += piece.length) {
    if (client.socket.write(piece)) continue;
    const isTaken = Promise.withResolvers<void>();
    client.socket.once("drain", isTaken.resolve);
    await Promise.race([isTaken.promise, client.closed]);
  }
  await client.closed;
}
