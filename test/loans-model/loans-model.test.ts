/** The first random sequences of loans; and the controls: Pods that break one rule each, which the oracle finds out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogEntry } from "@yoi/base";
import type { Lease } from "@yoi/pod-store";
import type { Registry } from "@yoi/scope/registry";
import type { SessionStore } from "@yoi/session-store";
import { overriding } from "../support/overriding.ts";
import { proofTest } from "../support/proof.ts";
import type { TreeOptions } from "../support/simulated-tree.ts";
import type { Command, Death, Start } from "./commands.ts";
import { loansModel } from "./loans-model.proof.ts";
import { play } from "./machine.ts";

proofTest(loansModel);

const spawn = (start: Start): Command => ({
  do: "spawn",
  by: 0,
  targets: [{ target: "/w/a", recursive: true }],
  reusesName: false,
  start,
  cancelMs: null,
});
const forgets = (registry: Registry): Registry => ({ ...registry, reclaim: async () => {} });
/** By name: the child `p1` is the first, `root` the second. */
const [child, parent] = [0, 1];

test("the control: loans that come back without the lease of who has them are two writers of one path", async () => {
  const gullible = (lease: Lease): Lease => ({
    ...lease,
    acquire: async (name, purpose) =>
      purpose === "reclaim" ? { name, release: async () => {} } : lease.acquire(name, purpose),
  });
  const sequence: readonly Command[] = [
    spawn("well"),
    { do: "kill", pods: [parent] },
    { do: "reopen", pod: 0 },
  ];
  await assert.rejects(play(sequence, { wrapLease: gullible, wrapRegistry: forgets }), {
    message: /^\/w\/a\/x can be written by (p1 and root|root and p1)$/,
  });
  // Of a process that lives the registry knows, too.
  await play(sequence, { wrapLease: gullible });
  await play(sequence);
});

test("the control: a loan that comes back in metadata alone is found in the registry while its lender lives, and in nothing once that is dead", async () => {
  await assert.rejects(play([spawn("throws")], { wrapRegistry: forgets }), {
    message: /^the registry differs from metadata and leases/,
  });
  await play([spawn("throws")]);
  // The crash between the two: the next verb sweeps what no metadata and no process speaks for.
  await play(
    [spawn("well"), { do: "kill", pods: [child] }, { do: "kill", pods: [0] }, { do: "reopen", pod: 1 }],
    { wrapRegistry: forgets },
  );
});

test("the control: a notice whose name is not known after a crash is given twice", async () => {
  const nameless = (sessions: SessionStore): SessionStore =>
    overriding(sessions, {
      open: async (ref, opening) => {
        const opened = await sessions.open(ref, opening);
        return { ...opened, entries: opened.entries.map(withoutName) };
      },
    });
  /** The parent dies at one of its writes while it takes the loan of a dead child back. */
  const outcomes = async (options: TreeOptions): Promise<readonly string[]> => {
    const said: string[] = [];
    for (let nth = 1; nth <= 8; nth += 1) {
      const death: Death = { nth, moment: "before" };
      const sequence: readonly Command[] = [
        spawn("well"),
        { do: "doom", pod: parent, death },
        { do: "kill", pods: [child] },
        { do: "reopen", pod: 1 },
      ];
      await play(sequence, options).catch((error: unknown) => said.push(String(error)));
    }
    return said;
  };
  assert.deepEqual(await outcomes({}), []);
  const said = await outcomes({ wrapSessions: nameless });
  assert.match(
    said.join("\n"),
    /root was told 2 times that a loan of p1 came back; that is wanted 1 to 1 times/,
  );
});

function withoutName(entry: LogEntry): LogEntry {
  if (entry.kind !== "inbox_accepted" || !("item" in entry)) return entry;
  const { submission: _, ...nameless } = entry;
  return nameless;
}
