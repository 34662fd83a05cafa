/** `yoi pod list`: the Pods of this data directory. */
import { escapeControls } from "@yoi/base";
import { isoTime, listPods, type PodSummary } from "@yoi/pod";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { hostPurpose } from "@yoi/pod-store";
import { exitCode } from "../exit-code.ts";
import { printTable } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podList(flags: JsonFlag): Promise<number> {
  const pods = await listPods(openStores(readEnvironment()));
  if (flags.json === true) {
    const rows = pods.map((p) => ({
      name: p.name,
      workspace: p.workspace,
      model: p.model,
      owner_pid: p.ownerPid,
      owner_purpose: p.ownerPurpose,
      updated_ms: p.updatedMs,
      used_ms: p.usedMs,
      state: stateOf(p),
      error: p.unreadable?.error ?? null,
    }));
    process.stdout.write(`${JSON.stringify({ pods: rows })}\n`);
    return exitCode.done;
  }
  if (pods.length === 0) {
    process.stdout.write('No Pods yet: `yoi run "what to do"` starts one, `yoi demo` shows one.\n');
    return exitCode.done;
  }
  printTable(
    ["NAME", "STATE", "MODEL", "WORKSPACE", "USED"],
    pods.map((p) => [
      p.name,
      stateOf(p) === "live" ? `${liveAs(p)} (pid ${p.ownerPid})` : stateOf(p),
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

/** Whether clients can attach to it. */
function liveAs({ ownerPurpose }: PodSummary): "hosted" | "live" {
  return ownerPurpose === hostPurpose ? "hosted" : "live";
}
