/** Pods as text: summaries for the model, and the list as JSON, whose form does not change. */
import { type JsonObject, type ScopeRule, utf8Length } from "@yoi/base";
import type { ManagedPod, ManagedPodState, PodOutput, PodStopped } from "@yoi/feature";
import { shownLine } from "../shown-line.ts";

/** UTF-8 bytes of the list as JSON. */
export const podListBytesMax = 32 * 1024;
/** Paths of a summary; the content has all. */
export const shownPathsMax = 8;
/** Killed Pods of a summary. */
export const shownKilledMax = 8;
/** UTF-16 units of a path in a summary. */
export const shownPathCharsMax = 160;

/** `Pod a is idle: 2 new answers.` */
export function readSummary(name: string, { texts, more, state, approvals, damage }: PodOutput): string {
  const said =
    texts.length === 0
      ? "nothing new since it was read last"
      : `${texts.length} new ${texts.length === 1 ? "answer" : "answers"}`;
  const harm =
    damage === null
      ? ""
      : ` Its log is damaged ${damage}, and what it said behind that cannot be read: tell the user, who sees more with \`yoi pod verify ${name}\`.`;
  return `Pod ${name} ${stateOf(state)}${waiting(approvals)}: ${said}.${harm}${more ? " More waits: read again." : ""}`;
}

/** How it ended and what came back, as a line with the first paths, and all of them where those are not all. */
export function stopped(
  name: string,
  { writable, killed }: PodStopped,
): { readonly summary: string; readonly content?: string } {
  const head = `Pod ${name} is stopped.${killedSentence(killed)}`;
  if (writable.length === 0) return { summary: `${head} It held nothing that you could not write.` };
  const paths = writable.map(pathOf);
  const shown = paths.slice(0, shownPathsMax).map((path) => shownLine(path, shownPathCharsMax));
  const summary = `${head} You can write again: ${shown.join(", ")}`;
  if (shown.every((path, index) => path === paths[index]) && shown.length === paths.length)
    return { summary: `${summary}.` };
  const more = paths.length - shown.length;
  return { summary: more === 0 ? `${summary}.` : `${summary} and ${more} more.`, content: paths.join("\n") };
}

function killedSentence(killed: readonly string[]): string {
  if (killed.length === 0) return "";
  const more = killed.length - shownKilledMax;
  const names = `${killed.slice(0, shownKilledMax).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return ` Killed, because they did not end when they were asked: ${names}. A run that went on there has no end in its log.`;
}

export interface PodListing {
  readonly summary: string;
  readonly content: string;
}

/** All Pods, a line each, or as many as have room, itself and those whose loan is open first; `left_out` says how many are not among them. */
export function podListing(pods: readonly ManagedPod[]): PodListing {
  const lines = pods.toSorted((a, b) => rank(a) - rank(b)).map((pod) => JSON.stringify(podJson(pod)));
  const contentOf = (count: number): string => {
    const left = lines.length - count;
    return `{"pods":[\n${lines.slice(0, count).join(",\n")}\n]${left === 0 ? "" : `,"left_out":${left}`}}`;
  };
  let count = lines.length;
  while (count > 0 && utf8Length(contentOf(count)) > podListBytesMax) count -= 1;
  const total = `${pods.length} ${pods.length === 1 ? "Pod" : "Pods"}`;
  const left = lines.length - count;
  return {
    summary: left === 0 ? `${total}.` : `${total}, of which ${left} had no room in the list.`,
    content: contentOf(count),
  };
}

function rank({ relation, loan }: ManagedPod): number {
  if (relation === "self") return 0;
  if (relation === "child") return loan === "open" ? 1 : 3;
  return 2;
}

function podJson(pod: ManagedPod): JsonObject {
  return {
    pod_name: pod.name,
    relation: pod.relation,
    state: pod.state,
    metadata: pod.metadata,
    session_id: pod.session,
    segment_id: pod.segment,
    socket_path: pod.socket,
    loan: pod.loan,
    scope: pod.scope.map(({ target, permission, recursive }) => ({ target, permission, recursive })),
    restorable: pod.restorable,
    reason: pod.reason,
    approvals: pod.approvals,
    children: pod.children,
  };
}

function stateOf(state: ManagedPodState): string {
  switch (state) {
    case "running":
      return "is at work";
    case "unknown":
      return "does not answer";
    case "idle":
    case "paused":
    case "stopped":
      return `is ${state}`;
  }
}

function waiting(approvals: number): string {
  if (approvals === 0) return "";
  return `, and ${approvals === 1 ? "1 call of it waits" : `${approvals} calls of it wait`} for the user`;
}

function pathOf({ target, recursive }: ScopeRule): string {
  return recursive ? target : `${target} (itself and what lies directly in it)`;
}
