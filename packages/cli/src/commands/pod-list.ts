/** `yoi pod list`: the Pods of this data directory. */
import { escapeControls } from "@yoi/base";
import { isoTime, listPods, type PodSummary } from "@yoi/pod";
import { isHosted, nowText, podsNow } from "../client/pod-now.ts";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { printTable } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podList(flags: JsonFlag): Promise<number> {
  const environment = readEnvironment();
  const stores = openStores(environment);
  const listed = await listPods(stores);
  const nows = await podsNow(listed, { environment, stores, client: "list" });
  const pods = listed.map((pod) => ({ ...pod, now: nows.get(pod.name) ?? null }));
  if (flags.json === true) {
    const rows = pods.map((p) => ({
      name: p.name,
      title: p.title,
      workspace: p.workspace,
      model: p.model,
      owner_pid: p.ownerPid,
      owner_purpose: p.ownerPurpose,
      parent: p.parent,
      children: p.children,
      peers: p.peers,
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
  const anyTitle = pods.some((p) => p.title !== null);
  printTable(
    [
      "NAME",
      ...(anyTitle ? ["TITLE"] : []),
      "STATE",
      "NOW",
      ...(anyKin ? ["KIN"] : []),
      "MODEL",
      "WORKSPACE",
      "USED",
    ],
    pods.map((p) => [
      p.name,
      ...(anyTitle ? [p.title ?? "-"] : []),
      stateText(p),
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

/** As `hosted (pid 77)`; what is wrong with its metadata does not hide that it lives. */
function stateText(pod: PodSummary): string {
  const { unreadable, ownerPid } = pod;
  const live = ownerPid === null ? [] : [`${isHosted(pod) ? "hosted" : "live"} (pid ${ownerPid})`];
  return [...(unreadable === null ? [] : [unreadable.fault]), ...live].join(", ") || "stopped";
}

/** As `child of lead, 2 children, peer of site`. */
function kinText({ parent, children, peers }: PodSummary): string {
  const count =
    children.length === 0 ? [] : [children.length === 1 ? "1 child" : `${children.length} children`];
  const above = parent === null ? [] : [`child of ${parent}`];
  const beside = peers.length === 0 ? [] : [`peer of ${peers.join(", ")}`];
  return [...above, ...count, ...beside].join(", ") || "-";
}
