/** A crash at every operation around an input that is taken back: it came in once or not at all, and what the log says of it holds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HostCrashed, memoryHost } from "@yoi/host";
import { stuckModel } from "../../packages/pod/test/drive/stuck-model.ts";
import { entriesOf, judgeEnd, judgePrefixes } from "./judge.ts";
import { driven, type Machine, openPod, plainOwner, survey, verified } from "./life.ts";
import { partsOf, references } from "./references.ts";
import { Witness } from "./witness.ts";

const session = {
  inputs: [`#0 take me back${references}`, "#1 go on"],
  scenario: JSON.stringify({ steps: Array.from({ length: 6 }, () => ({ text: "Here I am." })) }),
};
const limits = { timeoutMs: null };
const first = partsOf(session.inputs[0] ?? "");
const second = partsOf(session.inputs[1] ?? "");

/** The input is given under a name, and taken back when its request hangs. */
async function takenBack({ host }: Machine, pod: Awaited<ReturnType<typeof openPod>>): Promise<void> {
  const begun = await driven(host, pod.begin(first, { limits, submission: "s" }));
  assert.ok(!begun.duplicate);
  await host.advance(1_000);
  if (host.crashed) throw new HostCrashed();
  pod.cancel(begun.run.id);
  assert.equal((await driven(host, begun.run.ended)).outcome.kind, "rolled_back");
}

/** Crashes at the `nth` operation of the disk behind the opening; what its client finds when it gives the input again. Null: there is no such operation. */
async function crashedAt(
  nth: number,
  mode: "process" | "power",
): Promise<"new" | "open" | "taken back" | null> {
  const witness = new Witness();
  let hangs = true;
  const owner = {
    ...plainOwner,
    wrapModel: (model: Parameters<typeof stuckModel>[0]) =>
      stuckModel(model, () => (hangs ? "before the answer" : null)),
  };
  const machine: Machine = { host: memoryHost({ seed: 9 }), leases: new Map(), session, witness, owner };
  const { host } = machine;
  const pod = await driven(host, openPod(machine));
  let operations = 0;
  host.disk.plan = () => {
    operations += 1;
    if (operations !== nth) return "pass";
    host.crash(mode);
    throw new HostCrashed();
  };
  try {
    await takenBack(machine, pod);
    return null;
  } catch (error) {
    if (!(error instanceof HostCrashed)) throw error;
  }
  hangs = false;
  const next: Machine = { ...machine, host: host.restart() };
  const again = await driven(next.host, openPod(next));
  const found = again.snapshot.state === "paused" ? "open" : "taken back";
  const repeated = await driven(next.host, again.begin(first, { limits, submission: "s" }));
  if (!repeated.duplicate) await driven(next.host, repeated.run.ended);
  else if (found === "open") assert.equal((await driven(next.host, again.resume())).outcome.kind, "finished");
  assert.equal((await driven(next.host, again.submit(second))).outcome.kind, "finished");
  await driven(next.host, again.close());
  const entries = await survey(next, "at the end");
  assert.ok(entries !== null);
  judgeEnd(entries);
  judgePrefixes(witness.sent, entries);
  await verified(next);
  assert.equal(entriesOf(entries, "user_input").filter(({ submission }) => submission === "s").length, 1);
  return repeated.duplicate ? found : "new";
}

for (const mode of ["process", "power"] as const) {
  test(`a crash of the ${mode} around an input that is taken back: given again it is there once`, async () => {
    const found = new Set<string>();
    for (let nth = 1; ; nth += 1) {
      const what = await crashedAt(nth, mode).catch((cause: unknown) => {
        throw new Error(`operation ${nth}`, { cause });
      });
      if (what === null) break;
      found.add(what);
    }
    assert.deepEqual([...found].sort(), mode === "power" ? ["new", "open"] : ["new", "open", "taken back"]);
  });
}
