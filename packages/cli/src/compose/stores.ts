/** The stores of one data directory, composed once per process. */
import { join } from "node:path";
import { type Host, moveTree, nodeHost } from "@yoi/host";
import { createPodStore, createSqliteLease, type Lease, type PodStore } from "@yoi/pod-store";
import { createSessionStore, type SessionStore } from "@yoi/session-store";
import { openRegistry, type Registry } from "@yoi/scope/registry";
import type { Environment } from "../environment.ts";
import { knownSecrets } from "../known-secrets.ts";
import { heldNow, holdersNow, isLentNow, runnerOf } from "./allocations.ts";
import { learnEnvironment } from "./secrets.ts";

export interface Stores {
  readonly host: Host;
  readonly sessions: SessionStore;
  readonly pods: PodStore;
  readonly lease: Lease;
  readonly registry: Registry;
  readonly dataDir: string;
}

export function openStores(environment: Environment): Stores {
  learnEnvironment(environment);
  const host = nodeHost();
  const { files, clock, timers, random, processes } = host;
  const { data: dataDir, runtime: runtimeDir } = environment.directories;
  const lease = createSqliteLease({ dataDir, runtimeDir, files, clock, timers, random, processes });
  const pods = createPodStore({ files, clock, dataDir });
  return {
    host,
    dataDir,
    sessions: createSessionStore({ files, clock, dataDir, redact: knownSecrets.redact }),
    pods,
    lease,
    registry: openRegistry({
      path: join(dataDir, "registry.sqlite"),
      files,
      clock,
      timers,
      random,
      processes,
      move: moveTree,
      isHeld: async (name) => (await runnerOf(lease, name)) !== null,
      isLent: (lender, child, loan) => isLentNow({ pods, lease }, lender, child, loan),
      holders: () => holdersNow({ lease, files, clock, locks: join(dataDir, "locks") }),
      rebuild: () => heldNow({ pods, lease }),
    }),
  };
}

/** Where the long tool output of one Pod is kept. */
export function spillDirectory(dataDir: string, pod: string): string {
  return join(dataDir, "spill", pod);
}

/** Where what a Pod's commands left for git to run is put aside. */
export function quarantineDirectory(dataDir: string, pod: string): string {
  return join(dataDir, "quarantine", pod);
}
