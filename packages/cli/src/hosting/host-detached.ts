/** A Pod in a process of its own, started by the program's own command line; a child whose loan came back is started by its parent. */
import type { PodName } from "@yoi/base";
import type { PodFlags } from "../compose/pod-flags.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import type { Ready } from "./ready.ts";
import { restoreByParent } from "./restore-by-parent.ts";
import { type DetachedRequest, startDetached } from "./start-detached.ts";

export interface HostedStart {
  readonly name: PodName;
  /** Begins it anew, as it was kept, and goes on with its run. Absent: it may be a new one. */
  readonly restore?: { readonly resume: boolean };
  /** Canonical; null: the Pod keeps one. */
  readonly workspace: string | null;
  /** `-C` was typed. */
  readonly isPlaced: boolean;
  readonly flags: PodFlags;
  readonly environment: Environment;
  readonly stores: Stores;
  readonly say: (text: string) => void;
}

/** Resolves when it takes clients. Throws what the process failed with, as its own failure. */
export function hostDetached(
  request: HostedStart,
  launch: (request: DetachedRequest) => Promise<Ready> = startDetached,
): Promise<Ready> {
  const { name, restore, workspace, flags, environment, stores, say } = request;
  const resume = restore?.resume === true;
  const args = [
    "pod",
    restore === undefined ? "start" : "restore",
    name,
    ...(resume ? ["--resume"] : []),
    ...(workspace === null ? [] : ["-C", workspace]),
    ...podArgs(flags),
  ];
  return launch({ name, args, environment, stores, say }).catch((failure: unknown) =>
    restoreByParent(failure, { name, flags: typedFlags(request), resume, environment, stores }),
  );
}

/** The names of what says how the Pod is started: none of it reaches one that its parent starts. */
export function typedFlags({ flags, isPlaced }: Pick<HostedStart, "flags" | "isPlaced">): readonly string[] {
  const names = [...podArgs(flags), ...(isPlaced ? ["--cd"] : [])];
  return [...new Set(names.map((arg) => arg.split("=", 1).join("")))];
}

function podArgs(podFlags: PodFlags): readonly string[] {
  const { model, baseUrl, profile, permissionMode, sandbox, readOnly, write = [] } = podFlags;
  const { maxTurns, maxTokens, maxCost } = podFlags;
  const flags = {
    "--model": model,
    "--base-url": baseUrl,
    "--profile": profile,
    "--permission-mode": permissionMode,
    "--sandbox": sandbox,
    "--max-turns": maxTurns,
    "--max-tokens": maxTokens,
    "--max-cost": maxCost,
  };
  return [
    ...Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`])),
    ...(readOnly === true ? ["--read-only"] : []),
    ...write.map((directory) => `--write=${directory}`),
  ];
}
