/** A batch of several lines is one write, but a crash may leave any number of its lines: each of them, at every batch of a run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenInput } from "@yoi/base";
import { HostCrashed, memoryHost } from "@yoi/host";
import { segmentPath } from "@yoi/session-store";
import { dataDir } from "../support/simulated-pod.ts";
import { judgeEnd, judgePrefixes } from "./judge.ts";
import { live, type Machine, plainOwner, survey, verified } from "./life.ts";
import type { TimedNotice } from "./notices.ts";
import { references } from "./references.ts";
import { cutCallMark } from "./session.ts";
import { Witness } from "./witness.ts";

const effect = (what: string) => ({ name: "Effect", arguments: { what } });

const session = {
  inputs: ["#0 begin", `#1 go on${references}`],
  scenario: JSON.stringify({
    steps: [
      { reasoning: "Two at once.", text: "Both.", tool_calls: [effect("a"), effect("b")] },
      {
        attempts: [
          { text: "This breaks off somewhere.", cut_after: 9 },
          { text: "Whole.", tool_calls: [effect("c")] },
        ],
      },
      { text: "Too long.", tool_calls: [effect("d"), effect(cutCallMark)], finish: "length" },
      { reasoning: "Enough.", text: "The first is done." },
      { text: "One more.", tool_calls: [effect("e")] },
      { text: "The second is done." },
      ...Array.from({ length: 6 }, () => ({ text: "Nothing is left." })),
    ],
  }),
};

/** Three that are told in one batch, and one that comes while they are. */
const notices: readonly TimedNotice[] = [
  ...["Notice 0.", "Notice 1.", "Notice 2."].map((text) => ({ text, afterMs: 0 })),
  { text: "Notice 3.", afterMs: 1 },
];

interface Setting {
  readonly resumes: boolean;
  readonly notified: boolean;
}

function machineOf({ resumes, notified }: Setting): Machine {
  const owner = { ...plainOwner, resumes };
  const machine = {
    host: memoryHost({ seed: 5 }),
    leases: new Map(),
    session,
    witness: new Witness(),
    owner,
  };
  return notified ? { ...machine, notices } : machine;
}

interface Tear {
  /** Which operation writes the batch. */
  readonly operation: number;
  /** Bytes of it that are left: whole lines, not all of them. */
  readonly bytes: number;
}

/** Where the batches of an undisturbed run can be torn between two lines. */
async function tears(setting: Setting): Promise<readonly Tear[]> {
  const machine = machineOf(setting);
  const { host, witness } = machine;
  const writes: { operation: number; from: number }[] = [];
  let path = "";
  host.disk.plan = (operation) => {
    path = witness.ledger.ref === null ? "" : segmentPath(dataDir, witness.ledger.ref);
    if (operation.kind === "write" && operation.path === path) {
      writes.push({ operation: operation.index, from: host.disk.durable(path)?.length ?? 0 });
    }
    return "pass";
  };
  await live(machine);
  const log = host.disk.durable(path);
  assert.ok(log !== null);
  return writes.flatMap(({ operation, from }, nth) => {
    const to = writes[nth + 1]?.from ?? log.length;
    const found: Tear[] = [];
    for (let lf = log.indexOf(0x0a, from); lf >= 0 && lf < to - 1; lf = log.indexOf(0x0a, lf + 1)) {
      found.push({ operation, bytes: lf + 1 - from });
    }
    return found;
  });
}

async function tornThere(tear: Tear, setting: Setting): Promise<void> {
  const machine = machineOf(setting);
  const { host, witness } = machine;
  host.disk.plan = ({ index }) => {
    if (index === tear.operation) return { short: tear.bytes };
    if (index === tear.operation + 1) {
      host.crash("process");
      throw new HostCrashed();
    }
    return "pass";
  };
  await assert.rejects(live(machine), HostCrashed);
  const next: Machine = { ...machine, host: host.restart() };
  await survey(next, "after the crash");
  await live(next);
  const entries = await survey(next, "at the end");
  assert.ok(entries !== null);
  judgeEnd(entries);
  judgePrefixes(witness.sent, entries);
  await verified(next);
  assert.ok(witness.reports.length > 0);
  const asked = witness.sent.at(-1)?.request.items.map(({ item }) => item) ?? [];
  const inputs = asked.flatMap((item) => (item.type === "user_message" ? [flattenInput(item.parts)] : []));
  for (const input of session.inputs)
    assert.ok(inputs.includes(input), `the model was never asked about ${input}`);
}

for (const notified of [false, true]) {
  test(`whatever whole lines of a batch a crash leaves, the Pod goes on from them${notified ? "; each notice is told once" : ""}`, async () => {
    const problems: string[] = [];
    for (const resumes of [true, false]) {
      const setting = { resumes, notified };
      const all = await tears(setting);
      assert.ok(all.length > 25, `only ${all.length} tears`);
      for (const tear of all) {
        try {
          await tornThere(tear, setting);
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          problems.push(
            `operation ${tear.operation}, ${tear.bytes} bytes left, resumes ${resumes}: ${error.message}`,
          );
        }
      }
    }
    assert.deepEqual(problems, []);
  });
}
