/** Pods of a simulated machine as their metadata says, for what reads the stores: none of them is opened. */
import { type Loan, podName, type PodName, type ScopeRule, sessionId, type SessionId } from "@yoi/base";
import { manifestToJson } from "@yoi/manifest";
import type { ChildRecord, LeaseTable, ParentLink, PodRecord } from "@yoi/pod-store";
import { memoryHost } from "@yoi/host";
import {
  effectTool,
  manifestOf,
  openSimulated,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";

export const uuid = (n: number): string => `0198c0de-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
export const writes = (target: string): ScopeRule => ({ target, permission: "write", recursive: true });

export function machine(seed = 1) {
  const host = memoryHost({ seed });
  const leases: LeaseTable = new Map();
  const stores = simulatedStores(host, leases);
  let made = 0;

  async function pod(name: string, parent?: ParentLink): Promise<PodRecord> {
    made += 1;
    return stores.pods.create({
      name: podName(name),
      pointer: { state: "pending", session: sessionId(uuid(made)) },
      manifest: manifestToJson(manifestOf()),
      ...(parent === undefined ? {} : { parent }),
    });
  }

  const now = async (name: string): Promise<PodRecord> => {
    const record = await stores.pods.read(podName(name));
    if (record === null) throw new Error(`no Pod ${name}`);
    return record;
  };

  /** A Pod and the loan of one directory to it. */
  async function child(parentName: string, name: string, target: string): Promise<ChildRecord> {
    const parent = await now(parentName);
    const { session } = parent.pointer;
    const depth = (parent.parent?.depth ?? 0) + 1;
    const record = await pod(name, { pod: parent.name, session, depth, token: "t" });
    const given = childRecord(record.name, record.pointer.session, target, made);
    await stores.pods.putChild(parent.name, parent, given);
    return given;
  }

  /** Each is the other's peer. */
  async function peers(first: string, second: string): Promise<void> {
    for (const [name, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const record = await now(name);
      await stores.pods.setPeer(record.name, record, podName(other), (await now(other)).pointer.session);
    }
  }

  /** A living process holds it. */
  function hold(name: string, purpose = "host"): void {
    const owner = { ...host.processes.self(), sinceMs: 0, purpose, runtime: null };
    leases.set(podName(name), owner);
  }

  async function damage(name: string): Promise<void> {
    await host.files.replace(stores.pods.pathOf(podName(name)), Buffer.from("{"));
  }

  return { host, stores, pod, now, child, peers, hold, damage };
}

export function childRecord(name: PodName, session: SessionId, target: string, n: number): ChildRecord {
  const loan: Loan = { id: uuid(0x1000 + n), scope: { allow: [writes(target)], deny: [] } };
  return {
    name,
    session,
    loan,
    state: "live",
    tokenDigest: "0".repeat(64),
    socket: `/run/s/${name}`,
    callback: null,
    sinceMs: 5,
  };
}

/** A Pod that ran once, on a machine with others. */
export async function ranOnce() {
  const home = machine();
  const scenario = JSON.stringify({ steps: [{ text: "One." }, { text: "Two." }] });
  const tools = [effectTool(new World(), home.host)];
  const pod = await openSimulated({ host: home.host, leases: new Map(), scenario, tools });
  await pod.submit([{ type: "text", text: "go" }]);
  await pod.close();
  return home;
}
