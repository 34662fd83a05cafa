/** Which Pod a run is for: the one that was named, the last one of this directory (`-c`), or one that is chosen from a list (`-r`). */
import { podName, type PodName, YoiError } from "@yoi/base";
import { listPods, type PodSummary } from "@yoi/pod";
import { namedWorkspace } from "../compose/configuration.ts";
import type { Stores } from "../compose/stores.ts";
import { type Environment, openQuestions } from "../environment.ts";
import { choosePodOnTerminal } from "./pod-picker.ts";
import type { RunFlags } from "./run.ts";

/** How many names a sentence gives. */
const namesMax = 10;

/** Null: none was named, so a new one is to be drawn. */
export async function choosePod(
  flags: Pick<RunFlags, "pod" | "continue" | "resume" | "cd">,
  environment: Environment,
  stores: Stores,
  signal: AbortSignal,
): Promise<PodName | null> {
  if (flags.pod !== undefined) return podName(flags.pod);
  if (typeof flags.resume === "string") return existingPod(flags.resume, stores);
  if (flags.continue !== true && flags.resume !== true) return null;
  const workspace = await namedWorkspace(flags.cd, environment);
  const all = await listPods(stores);
  const pods = podsOf(workspace, all);
  const last = flags.continue === true ? lastOwn(pods) : pods[0];
  if (flags.continue === true) refuseUnreadable(all, last);
  if (last === undefined && pods.length > 0) throw onlyChildren(workspace, pods);
  if (last === undefined) {
    throw new YoiError(
      "nothing_to_resume",
      `No Pod was used in ${workspace} yet: give a prompt without -c and -r to start one, or see \`yoi pod list\`.`,
    );
  }
  if (flags.continue === true) return podName(last.name);
  if (environment.stdin !== "terminal" || !environment.stderr.isTerminal) {
    throw new YoiError(
      "usage",
      `-r without a name asks on a terminal, and there is none: name one of the Pods of ${workspace}: ${namesOf(pods)}.`,
    );
  }
  using questions = await openQuestions(signal);
  return await choosePodOnTerminal(pods, stores, questions.ask);
}

/** The readable ones of a directory, last used first. */
export function podsOf(workspace: string, pods: readonly PodSummary[]): readonly PodSummary[] {
  return pods
    .filter((pod) => pod.workspace === workspace)
    .toSorted((a, b) => b.usedMs - a.usedMs || (a.name < b.name ? -1 : 1));
}

/** A child works for its parent, which reads what it says: who means it names it. One whose parent is gone works for nobody else. */
export function lastOwn(pods: readonly PodSummary[]): PodSummary | undefined {
  return pods.find(({ parent, isOrphan }) => parent === null || isOrphan);
}

function onlyChildren(workspace: string, pods: readonly PodSummary[]): YoiError {
  const parents = [...new Set(pods.flatMap(({ parent }) => parent ?? []))].toSorted();
  return new YoiError(
    "nothing_to_resume",
    `Only children of ${parents.join(", ")} were used in ${workspace}, and -c never means a child: name one with --pod: ${namesOf(pods)}.`,
  );
}

/** Where a Pod works stands in its metadata: one that was used later than `last` and cannot be read may be the one that is meant. */
function refuseUnreadable(all: readonly PodSummary[], last: PodSummary | undefined): void {
  for (const { name, usedMs, unreadable } of all) {
    if (unreadable === null || (last !== undefined && usedMs < last.usedMs)) continue;
    const later = last === undefined ? "no other one was" : `${last.name} was used before it`;
    throw new YoiError(
      unreadable.fault === "newer" ? "schema_newer" : "metadata_damaged",
      `Whether the Pod ${name} was last used here cannot be told, and ${later}: name one with -r. ${unreadable.error}`,
    );
  }
}

async function existingPod(name: string, { pods }: Pick<Stores, "pods">): Promise<PodName> {
  const hint = "-r takes the next word as the name of a Pod, and the prompt comes behind it";
  let valid: PodName;
  try {
    valid = podName(name);
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    throw new YoiError(error.code, `${error.message} (${hint}.)`, { cause: error });
  }
  if ((await pods.read(valid)) === null) {
    throw new YoiError(
      "nothing_to_resume",
      `There is no Pod named ${valid} to go on with (${hint}): \`yoi pod list\` shows the ones there are.`,
    );
  }
  return valid;
}

function namesOf(pods: readonly PodSummary[]): string {
  const names = pods.slice(0, namesMax).map(({ name }) => name);
  return pods.length > namesMax ? `${names.join(", ")} and ${pods.length - namesMax} more` : names.join(", ");
}
