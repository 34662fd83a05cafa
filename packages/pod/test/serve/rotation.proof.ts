/** Clients that come and go while history goes on in segment after segment are told every entry once, in order. */
import assert from "node:assert/strict";
import { memoryHost } from "@yoi/host";
import type { Proof } from "../../../../test/support/proof.ts";
import { ComingClient, note, rotatingPod } from "./rotating-pod.ts";

const records = 1_000;
const rotations = 20;

/** The same seed, the same numbers; from 0 up to and without `below`. */
function numbers(seed: number): (below: number) => number {
  let state = (seed + 1) * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state >>> 8) & 0xffff) % below;
  };
}

export const overRotations: Proof = {
  name: "over 20 rotations and 1,000 records clients that come and go are told every entry once, in order",
  cases: { test: 1, prove: 1_000 },
  check: async (seed) => {
    const below = numbers(seed);
    const pod = await rotatingPod(memoryHost({ seed: seed + 1 }));
    const clients = Array.from({ length: 4 }, () => new ComingClient(pod));
    for (let n = 1; n <= records; n += 1) {
      const appended = pod.gate.append([
        below(20) === 0 ? note(`news ${n}`) : { kind: "extension", domain: "n", payload: n },
      ]);
      if (below(3) === 0) await appended;
      const client = clients[below(clients.length * 8)];
      // Whether one comes in the middle of a rotation is left to chance too.
      const moved = client === undefined ? null : client.isThere ? client.go() : client.come();
      if (n % (records / rotations) === 0)
        await pod.rotate(below(2) === 0 ? "compacted_from" : "forked_from");
      await moved;
      await appended;
    }
    for (const client of clients) {
      if (!client.isThere) await client.come();
      await pod.gate.append([{ kind: "extension", domain: "n", payload: "last" }]);
      await client.arrived();
    }
    for (let i = 0; i < 2_000; i += 1) await Promise.resolve();
    for (const [at, client] of clients.entries()) {
      await client.go();
      assert.deepEqual(client.wrong, [], `client ${at}, seed ${seed}`);
      const first = pod.written.indexOf(client.seen[0] ?? "");
      assert.ok(first >= 0 && client.seen.length > 1);
      assert.deepEqual(client.seen, pod.written.slice(first), `client ${at}, seed ${seed}`);
    }
    assert.equal(new Set(pod.written.map((one) => one.split("/")[0])).size, rotations + 1);
    await pod.close();
  },
};
