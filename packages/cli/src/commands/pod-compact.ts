/** `yoi pod compact`: makes the history that a Pod's model reads smaller, or goes back to what it was before. */
import { messageOf, type PodName, YoiError } from "@yoi/base";
import { type CompactionReport, findPod, undoCompactionClosed } from "@yoi/pod";
import { runPurpose } from "@yoi/pod-store";
import type { Methods } from "@yoi/protocol";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { openConfiguredPod, sayFound } from "../compose/open-pod.ts";
import { readsOnly } from "../compose/reads-only.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { alertText } from "../output/alert-text.ts";
import { printResult } from "../output/print-result.ts";
import type { JsonFlag } from "../program/act.ts";
import { watchRunStop } from "../run-stop.ts";
import { version } from "../version.ts";

export interface CompactFlags extends JsonFlag {
  readonly undo?: boolean;
}

type Compacted = Methods["compact"]["result"];
type Undone = Methods["undo_compaction"]["result"];

export async function podCompact(given: string, flags: CompactFlags): Promise<number> {
  const reach = reachAs("compact");
  const { name } = await findPod(reach.stores.pods, given);
  const isHosted = isHost(await ownerOf(name, reach.stores.lease));
  if (flags.undo === true) {
    const undone = isHosted
      ? await withPod(name, reach, (pod) => pod.call("undo_compaction", {}))
      : await undoClosed(name, reach);
    printResult(flags, { pod: name, ...undone }, undoneText(name, undone));
    return exitCode.done;
  }
  const compacted = isHosted
    ? await withPod(name, reach, (pod) => pod.call("compact", {}))
    : await compactClosed(name, reach);
  printResult(flags, { pod: name, ...compacted }, compactedText(name, compacted));
  return exitCode.done;
}

/** As `yoi run` opens it, for this alone. */
async function compactClosed(name: PodName, { environment, stores }: Reach): Promise<Compacted> {
  const say = (text: string) => void process.stderr.write(`yoi: ${text}\n`);
  using stop = watchRunStop(stores.host, null, "Stopped by a signal before anything was compacted.");
  const { pod } = await openConfiguredPod({
    name,
    workspace: null,
    flags: {},
    environment,
    stores,
    mustExist: true,
    mustBeNew: false,
    purpose: runPurpose,
    socket: null,
    say,
    observer: (event) => {
      if (event.type === "alert") say(alertText(event.alert));
    },
    signal: stop.signal,
    abandoned: () => {},
  });
  try {
    sayFound(pod, say);
    stop.begin(() => void pod.cancel());
    return compactedOf(await pod.compact());
  } catch (thrown) {
    throw stop.received === null ? thrown : new YoiError("cancelled", messageOf(thrown), { cause: thrown });
  } finally {
    await pod.close();
  }
}

function compactedOf(report: CompactionReport): Compacted {
  return {
    segment: report.segment,
    from: report.from,
    tokens_before: report.tokensBefore,
    tokens_after: report.tokensAfter,
    items_before: report.itemsBefore,
    items_after: report.itemsAfter,
    items_kept: report.itemsKept,
    by_model: report.isByModel,
  };
}

async function undoClosed(name: PodName, { stores }: Reach): Promise<Undone> {
  return undoCompactionClosed(stores, name, { ids: stores.host.ids, version, isReadOnly: await readsOnly() });
}

function compactedText(name: PodName, done: Compacted): string {
  const how = done.by_model ? "with a summary" : "by rules, without a model";
  return [
    `Compacted ${name} ${how}: a request has about ${done.tokens_after} tokens now, and had ${done.tokens_before}.`,
    `Of ${done.items_before} items ${done.items_kept} are kept whole.`,
    `Nothing is lost: \`yoi pod compact ${name} --undo\` goes back to the history before.`,
  ].join(" ");
}

function undoneText(name: PodName, { entries, files, kept }: Undone): string {
  const counts = Object.entries(entries).map(([kind, count]) => `${count} ${kind}`);
  return [
    `${name} goes on from the history before its last compaction. A request over a threshold compacts it again: \`[compaction] enabled = false\`, or a model with a larger window, keeps it.`,
    counts.length === 0
      ? "Nothing happened since."
      : `What came since is kept in ${kept.length === 1 ? "the segment" : "the segments"} ${kept.join(", ")}: ${counts.join(", ")}.`,
    ...(files.length === 0 ? [] : [`Files that were written since stay as they are: ${files.join(", ")}.`]),
  ].join("\n");
}
