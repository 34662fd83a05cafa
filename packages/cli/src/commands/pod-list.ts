/** `yoi pod list`: the Pods of this data directory. */
import { escapeControls } from "@yoi/base";
import { isoTime, listPods, type PodSummary } from "@yoi/pod";
import { hostPurpose } from "@yoi/pod-store";
import type { Reach } from "../client/pod-command.ts";
import { nowText, podNow, type PodNow } from "../client/pod-now.ts";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { printTable } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podList(flags: JsonFlag): Promise<number> {
  const environment = readEnvironment();
  const stores = openStores(environment);
  const pods = await Promise.all(
    (await listPods(stores)).map(async (pod) => ({ ...pod, now: await nowOf(pod, { environment, stores }) })),
  );
  if (flags.json === true) {
    const rows = pods.map((p) => ({
      name: p.name,
      workspace: p.workspace,
      model: p.model,
      owner_pid: p.ownerPid,
      owner_purpose: p.ownerPurpose,
      parent: p.parent,
      children: p.children,
      updated_ms: p.updatedMs,
      used_ms: Math.round(p.usedMs),
      state: stateOf(p),
      now: p.now,
      error: p.unreadable?.error ?? null,
    }));
    process.stdout.write(jsonLine({ pods: rows }));
    return exitCode.done;
  }
  if (pods.length === 0) {
    process.stdout.write('No Pods yet: `yoi run "what to do"` starts one, `yoi demo` shows one.\n');
    return exitCode.done;
  }
  const anyKin = pods.some((p) => kinText(p) !== "-");
  printTable(
    ["NAME", "STATE", "NOW", ...(anyKin ? ["KIN"] : []), "MODEL", "WORKSPACE", "USED"],
    pods.map((p) => [
      p.name,
      stateOf(p) === "live" ? `${isHosted(p) ? "hosted" : "live"} (pid ${p.ownerPid})` : stateOf(p),
      isHosted(p) ? nowText(p.now) : "-",
      ...(anyKin ? [kinText(p)] : []),
      p.model ?? "-",
      p.workspace ?? "-",
      isoTime(p.usedMs).slice(0, 16).replace("T", " "),
    ]),
  );
  for (const { unreadable } of pods)
    if (unreadable !== null) process.stderr.write(`yoi: ${escapeControls(unreadable.error)}\n`);
  return exitCode.done;
}

function stateOf({ unreadable, ownerPid }: PodSummary): "damaged" | "newer" | "live" | "stopped" {
  if (unreadable !== null) return unreadable.fault;
  return ownerPid === null ? "stopped" : "live";
}

/** As `child of lead, 2 children`. */
function kinText({ parent, children }: PodSummary): string {
  const count =
    children.length === 0 ? [] : [children.length === 1 ? "1 child" : `${children.length} children`];
  return [...(parent === null ? [] : [`child of ${parent}`]), ...count].join(", ") || "-";
}

/** Whether clients can attach to it. */
function isHosted({ ownerPurpose }: PodSummary): boolean {
  return ownerPurpose === hostPurpose;
}

/** Of a hosted Pod, unless it does not answer. */
async function nowOf(pod: PodSummary, stores: Pick<Reach, "environment" | "stores">): Promise<PodNow | null> {
  return isHosted(pod) ? podNow(pod.name, { ...stores, client: "list" }) : null;
}
