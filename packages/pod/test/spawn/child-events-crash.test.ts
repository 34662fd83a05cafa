/** What ended in a child is told exactly once, wherever the machine stops and whatever a stop tears. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isKnown } from "@yoi/base";
import { HostCrashed, type MemoryHost, memoryHost, noFaults } from "@yoi/host";
import { replay } from "@yoi/session-store";
import { entriesOf } from "../../../../test/inbox/parts.ts";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { inboxMax } from "../../src/index.ts";
import { ChildEvents } from "../../src/spawn/child-events.ts";
import { cursorOf, parentOf } from "./hearing-parent.ts";
import { WrittenChild } from "./written-child.ts";

describe("a crash at every operation of the disk: told exactly once", () => {
  /** How often each ending is in the parent's log, by its name. */
  const toldIn = async (host: MemoryHost): Promise<readonly string[]> =>
    (await entriesOf(host)).flatMap((entry) =>
      isKnown(entry) && entry.kind === "inbox_accepted" ? [entry.submission ?? ""] : [],
    );

  for (const loss of ["process", "power"] as const) {
    test(loss, async () => {
      let crashes = 0;
      for (let at = 1; ; at += 1) {
        const first = memoryHost({ seed: at });
        const kid = await new WrittenChild(first).begin();
        const names: string[] = [];
        const parent = await parentOf(first, kid);
        for (let n = 0; n < 3; n += 1) names.push(`child/kid/${kid.segment}/${await kid.run()}`);
        const from = first.disk.operations;
        first.disk.plan = ({ index }) => {
          if (index === from + at) first.crash(loss);
          return "pass";
        };
        await parent.events.lookAtAll();
        const { crashed } = first;
        first.disk.plan = noFaults;
        if (crashed) {
          crashes += 1;
          await assert.rejects(first.files.stat("/"), HostCrashed);
        } else await parent.parts.close();
        const next = first.restart();
        const again = await parentOf(next, kid);
        await again.events.lookAtAll();
        await again.events.lookAtAll();
        assert.deepEqual(await toldIn(next), names, `crash at operation ${at}`);
        assert.deepEqual(cursorOf(again.parts), {
          segment: kid.segment,
          seq: Number(names[2]?.split("/").at(-1)),
        });
        await again.parts.close();
        if (!crashed) break;
      }
      assert.ok(crashes >= 5, `${crashes} operations`);
    });
  }

  test("a batch that is torn behind any of its lines: what arrived is not told again; control: without its name it is", async () => {
    for (const kept of [0, 1, 2, 3]) {
      const host = memoryHost({ seed: 9 });
      const kid = await new WrittenChild(host).begin();
      const { parts, events } = await parentOf(host, kid);
      for (let n = 0; n < 3; n += 1) await kid.run();
      await events.lookAtAll();
      const whole = await entriesOf(host);
      await parts.close();
      const batch = whole.at(-1)?.batch ?? 0;
      const torn = whole.slice(0, batch + kept);
      const state = replay(torn);
      assert.equal(state.childCursors.size, 0);
      const accepted: string[] = [];
      const eventsBehind = (submissions: typeof state.submissions) =>
        new ChildEvents({
          ...simulatedStores(host, new Map()),
          gate: { state: Object.create(state, { submissions: { value: submissions } }) },
          inbox: {
            room: inboxMax,
            accept: async () => assert.fail("nothing but endings is told"),
            acceptUpTo: async (cursor, notices) => {
              accepted.push(...notices.map(({ submission }) => submission), `cursor ${cursor.through}`);
            },
          },
          record: () => ({ children: [], reclaimed: [] }),
          clock: host.clock,
          notified: () => {},
          warn: (text) => assert.fail(text),
        });
      await eventsBehind(state.submissions).look(kid);
      assert.equal(accepted.length, 3 - kept + 1, `${kept} lines were kept`);
      accepted.length = 0;
      await eventsBehind(new Map()).look(kid);
      assert.equal(accepted.length, 4);
    }
  });
});
