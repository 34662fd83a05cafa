/** Whatever becomes of its connections, a client tells its listener the log's own sequence, and each alert once. */
import assert from "node:assert/strict";
import { openPodClient, type PodView } from "../../src/index.ts";
import type { Proof } from "../../../../test/support/proof.ts";
import { atOnce, userHello } from "./scripted-pod.ts";
import { told } from "./told.ts";
import { entriesMax, everyEntry, unreliablePod } from "./unreliable-pod.ts";

export const everyEntryOnce: Proof = {
  name: "a client of an unreliable Pod tells every entry once, in order, over all connections",
  cases: { test: 100, prove: 10_000 },
  check: async (seed) => {
    const heard = told();
    const alerts: string[] = [];
    const client = await openPodClient({
      connect: unreliablePod(seed).connect,
      hello: userHello,
      listener: {
        ...heard.listener,
        snapshot: (view: PodView) => {
          alerts.push(...view.alerts.map(({ n }) => `${n} of life ${view.epoch}`));
          heard.listener.snapshot(view);
        },
      },
      again: atOnce(),
    });
    await heard.until(`entry ${entriesMax - 1}`);
    client.close();
    await client.closed;
    assert.deepEqual(heard.entries, everyEntry);
    assert.deepEqual(alerts, [...new Set(alerts)]);
  },
};
