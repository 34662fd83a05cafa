/** What is only read of other Pods: who they are, and what a child said. */
import type { PodName } from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";
import { type KinPorts, listKin } from "./discovery/kin.ts";
import type { ChildHost } from "./spawn/child-host.ts";
import { type ChildOutputPorts, readOutput } from "./spawn/child-output.ts";
import type { LiveState } from "./spawn/live-state.ts";
import type { Reading } from "./spawn/management.ts";

export interface ReadingRequest {
  readonly host: ChildHost;
  readonly ports: Omit<KinPorts & ChildOutputPorts, "probe" | "socketOf">;
  /** The own metadata as it is stored. */
  readonly record: () => PodRecord;
  /** What this Pod does itself. */
  readonly now: () => LiveState;
}

export function openReading({ host, ports, record, now }: ReadingRequest): Reading {
  const asking = {
    ...ports,
    probe: (name: PodName) => ask(host, name),
    socketOf: (name: PodName, runtime: string | null) => host.socketOf(name, runtime),
  };
  return {
    list: () => listKin({ record: record(), now: now() }, asking),
    read: (name, after) => readOutput(asking, record(), name, after),
  };
}

/** What a hosted Pod says that it does. */
export async function ask(host: ChildHost, name: PodName): Promise<LiveState> {
  const pod = await host.reach(name, "user");
  try {
    const { state, approvals } = await pod.call("show", {});
    return { state, approvals: approvals.length };
  } finally {
    pod.close();
  }
}
