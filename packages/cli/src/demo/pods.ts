/** What the demos with several Pods share: commands that have to succeed, logs, waiting, and the end of all Pods. */
import { type Entry, isKnown, podName, YoiError } from "@yoi/base";
import { readActive } from "@yoi/pod";
import type { Stores } from "../compose/stores.ts";
import { ownerOf } from "../hosting/owner-of.ts";
import type { ChildYoi } from "./child.ts";

const stepMs = 60_000;
const lookEveryMs = 50;
/** 10 s. */
const endLooksMax = 200;

/** The stdout of a command that has to succeed. */
export async function command(yoi: ChildYoi, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await yoi.start(args).ended;
  if (code === 0) return stdout;
  throw new YoiError(
    "io_failed",
    `\`yoi ${args.join(" ")}\` of the demo ended with exit ${code}: ${stderr.trim()}`,
  );
}

export interface Verified {
  readonly pod: string;
  readonly ok: boolean;
  readonly requests: number;
}

export async function verify(yoi: ChildYoi, pod: string): Promise<Verified> {
  const { stdout } = await yoi.start(["pod", "verify", pod, "--wire", "--json"]).ended;
  const report = JSON.parse(stdout) as { readonly ok?: boolean; readonly requests?: number };
  return { pod, ok: report.ok === true, requests: report.requests ?? 0 };
}

/** As the claim that no request of any of them differs. */
export function verifiedEvidence(verified: readonly Verified[]): string {
  return verified
    .map(
      ({ pod, ok, requests }) => `${pod}: ${requests} requests, ${ok ? "no difference" : "WITH differences"}`,
    )
    .join("; ");
}

export async function entriesOf(stores: Stores, pod: string): Promise<readonly Entry[]> {
  return (await readActive(stores, pod)).view.entries.filter(isKnown);
}

/** Why a parent could not begin a child; null: it could. */
export async function spawnRefused(stores: Stores, parent: string): Promise<string | null> {
  const refused = (await entriesOf(stores, parent)).find(
    (entry) => entry.kind === "tool_result" && entry.item.name === "SpawnPod" && entry.item.is_error,
  );
  return refused?.kind === "tool_result" ? refused.item.summary : null;
}

export interface Awaited {
  readonly stores: Stores;
  readonly parent: string;
  readonly stopped: AbortSignal;
}

/** Throws io_failed where a child could not begin, or nothing comes of it for a minute. */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  { stores, parent, stopped }: Awaited,
): Promise<void> {
  const { timers, clock } = stores.host;
  for (const startedMs = clock.monotonic(); !(await holds()); await timers.sleep(lookEveryMs, stopped)) {
    const refused = await spawnRefused(stores, parent);
    if (refused !== null)
      throw new YoiError("io_failed", `The demo's parent could not begin a child: ${refused}`);
    if (clock.monotonic() - startedMs > stepMs)
      throw new YoiError(
        "io_failed",
        `The demo waited ${stepMs / 1000} s for this: ${what}. See \`yoi doctor\`.`,
      );
  }
}

/** SIGKILL to whoever holds the Pod. Throws io_failed where nobody does. */
export async function killPod(pod: string, { lease, host }: Stores): Promise<void> {
  const owner = await ownerOf(podName(pod), lease);
  if (owner === null)
    throw new YoiError("io_failed", `The demo's Pod ${pod} ended too early: see \`yoi doctor\`.`);
  host.processes.end(owner, "SIGKILL");
}

/** The parent in order, which ends its children and what it was starting; then whatever is left. */
export async function endPods(stores: Stores, parent: string, children: readonly string[]): Promise<void> {
  const { processes, timers } = stores.host;
  const lead = await ownerOf(podName(parent), stores.lease);
  if (lead !== null) processes.end(lead, "SIGTERM");
  for (let left = endLooksMax; lead !== null && processes.isAlive(lead) && left > 0; left -= 1)
    await timers.sleep(lookEveryMs);
  for (const pod of [parent, ...children]) {
    const owner = await ownerOf(podName(pod), stores.lease);
    if (owner === null) continue;
    processes.endGroup(owner, "SIGKILL");
    while (processes.isAlive(owner)) await timers.sleep(lookEveryMs);
  }
}
