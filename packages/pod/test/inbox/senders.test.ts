/** Many senders at random moments of a run: everything that was accepted is told once, in the order in which it was accepted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { entriesOf, openParts } from "../../../../test/inbox/parts.ts";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";
import { seededRandom } from "../../../host/src/memory/seeded-random.ts";

const seeds = 10;
const sendersMax = 40;

const call = (nth: number) => ({
  tool_calls: [{ name: "Effect", arguments: { what: `${nth}` } }],
  delay_ms: 40,
});
const scenario = JSON.stringify({
  steps: [
    ...Array.from({ length: 4 }, (_, nth) => call(nth)),
    ...Array.from({ length: 60 }, (_, nth) => ({ text: `Answer ${nth}.`, delay_ms: 30, pace_ms: 5 })),
  ],
});

for (const own of [true, false]) {
  test(`notices at random moments, ${own ? "also to an idle Pod" : "to a Pod that runs only when it is asked"} (seeds 0 to ${seeds - 1})`, async () => {
    let chained = 0;
    for (let seed = 0; seed < seeds; seed += 1) {
      const random = seededRandom(seed);
      const host = memoryHost({ seed });
      const accepted: string[] = [];
      const parts = await openParts({
        host,
        scenario,
        tools: [effectTool(new World(), host)],
        beginsOwnRuns: own,
      });
      const senders = Array.from({ length: 1 + random.below(sendersMax) }, async (_, nth) => {
        await host.timers.sleep(random.below(own ? 700 : 250));
        await parts.notify(`news ${nth}`);
        accepted.push(`news ${nth}`);
      });
      const sending = Promise.all(senders);
      const asked = own && random.below(2) === 0 ? null : parts.submit("go");
      await host.advance(60_000);
      await sending;
      assert.ok(asked === null || (await asked).outcome.kind === "finished");
      // What came after the end of the only run waits for somebody who asks.
      if (!own && parts.inbox.waiting > 0) {
        const resumed = parts.drive.resume({ timeoutMs: null });
        await host.advance(60_000);
        await resumed;
      }
      const entries = (await entriesOf(host)).filter(isKnown);
      const inOrder = entries.flatMap((entry) => (entry.kind === "inbox_accepted" ? [entry.seq] : []));
      const told = entries.flatMap((entry) => (entry.kind === "system_item" ? [entry.delivers] : []));
      assert.deepEqual(told, inOrder, `seed ${seed}`);
      assert.deepEqual(
        entries.flatMap((entry) => (entry.kind === "inbox_accepted" ? [entry.item.body] : [])),
        accepted,
        `seed ${seed}: senders hear of it in the order of the log`,
      );
      assert.deepEqual(
        [parts.inbox.waiting, parts.drive.state, parts.own.failures],
        [0, "idle", []],
        `seed ${seed}`,
      );
      chained += entries.filter((entry) => entry.kind === "invoke" && entry.trigger === "notify").length;
      await parts.close();
    }
    assert.ok(chained > seeds / 3, `only ${chained} notification runs`);
  });
}
