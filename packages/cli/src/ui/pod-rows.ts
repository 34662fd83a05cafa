/** The Pods as rows of a list: from metadata, hints of who holds them, what hosted ones say of themselves, and the end of each log. */
import { inParallel, type SessionId } from "@yoi/base";
import { listPods, type PodSummary } from "@yoi/pod";
import type { PodRow, PodStanding } from "@yoi/tui";
import { isHosted, type PodNow, podsNow, stateText } from "../client/pod-now.ts";
import type { Reach } from "../client/pod-command.ts";
import { unusual } from "../client/unusual.ts";
import type { Stores } from "../compose/stores.ts";
import { LastWords, type Said } from "./last-words.ts";

/** How many logs are looked at at a time. */
export const logsAtOnceMax = 16;

/** Of one program: what was read of a log is kept until that grows. */
export class PodRows {
  readonly #reach: Reach;
  readonly #lastWords: LastWords;

  constructor(reach: Reach) {
    this.#reach = reach;
    this.#lastWords = new LastWords(reach.stores);
  }

  /** Last used first. */
  async list(): Promise<readonly PodRow[]> {
    const { stores } = this.#reach;
    const pods = await listPods(stores);
    const [nows, rest] = await Promise.all([
      podsNow(pods, this.#reach),
      inParallel(pods, logsAtOnceMax, (pod) => this.#logOf(pod)),
    ]);
    return pods
      .map((pod, index) => rowOf(pod, nows.get(pod.name) ?? null, rest[index] ?? nothingKnown))
      .toSorted((a, b) => b.usedMs - a.usedMs || (a.name < b.name ? -1 : 1));
  }

  async #logOf({ active, usedMs }: PodSummary): Promise<LogFacts> {
    if (active === null) return nothingKnown;
    const [said, bytes] = await Promise.all([
      this.#lastWords.of(active, usedMs),
      bytesOf(active.session, this.#reach.stores),
    ]);
    return { ...said, bytes };
  }
}

interface LogFacts extends Said {
  readonly bytes: number | null;
}

const nothingKnown: LogFacts = { lastLine: "", paused: null, bytes: null };

async function bytesOf(session: SessionId, { sessions }: Pick<Stores, "sessions">): Promise<number> {
  return (await sessions.listSegments(session)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** @param now of a hosted one, what it says of itself; null: it does not answer */
export function rowOf(pod: PodSummary, now: PodNow | null, log: LogFacts): PodRow {
  const { standing, detail } = standingOf(pod, now, log);
  return {
    name: pod.name,
    title: pod.title,
    standing,
    detail,
    approvals: now?.approvals ?? 0,
    workspace: pod.workspace,
    model: pod.model,
    parent: pod.parent,
    usedMs: pod.usedMs,
    lastLine: log.lastLine,
    bytes: log.bytes,
  };
}

function standingOf(
  pod: PodSummary,
  now: PodNow | null,
  { paused }: LogFacts,
): { readonly standing: PodStanding; readonly detail: string } {
  const wrong = pod.unreadable?.error ?? "";
  if (isHosted(pod)) {
    if (now === null)
      return { standing: "silent", detail: wrong || `its process ${pod.ownerPid} does not answer` };
    return { standing: nowStanding(now), detail: [...nowDetail(now), ...unusual(now)].join(", ") };
  }
  if (pod.unreadable !== null) return { standing: "corrupt", detail: wrong };
  if (pod.ownerPid !== null)
    return { standing: "running", detail: `in another yoi, process ${pod.ownerPid}: not to be attached to` };
  return { standing: "stopped", detail: paused ?? "" };
}

function nowStanding({ approvals, state }: PodNow): PodStanding {
  return approvals > 0 ? "waiting" : state;
}

function nowDetail(now: PodNow): readonly string[] {
  const doing = stateText(now);
  return doing === now.state ? [] : [doing];
}
