/** `yoi pod diff`: what a Pod's tools changed since its session began, as patches against the files as they are now. */
import { activeSegment, doneSince, findPod } from "@yoi/pod";
import { readsOnly } from "../compose/reads-only.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { type FileChange, fileChanges, fileChangesText } from "../output/file-changes.ts";
import { jsonLine } from "../output/json-line.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podDiff(name: string, flags: JsonFlag): Promise<number> {
  const { pod, changes, lost } = await podChanges(name, openStores(readEnvironment()));
  if (flags.json === true) process.stdout.write(jsonLine({ pod, files: changes, lost }));
  else process.stdout.write(changesText(pod, changes, lost));
  return exitCode.done;
}

export interface PodChanges {
  readonly pod: string;
  readonly changes: readonly FileChange[];
  /** Files that were touched and that no record names. */
  readonly lost: number;
}

/** Throws pod_unknown. */
export async function podChanges(name: string, { pods, sessions }: Stores): Promise<PodChanges> {
  const record = await findPod(pods, name);
  const head = activeSegment(record);
  // Behind nothing: from the first entry of the oldest segment on.
  const start = { ref: head, seq: -1, generation: -1 };
  const { files, lost } = await doneSince(sessions, head, start, await readsOnly());
  const copies = sessions.copies(head.session);
  return { pod: record.name, changes: await fileChanges(files, (digest) => copies.read(digest)), lost };
}

export function changesText(pod: string, changes: readonly FileChange[], lost: number): string {
  if (changes.length === 0 && lost === 0) return `The tools of ${pod} left every file as it was.\n`;
  const more = lost === 0 ? "" : `And ${lost} more, of which no record says which they are.\n`;
  return `${fileChangesText(changes)}${more}`;
}
