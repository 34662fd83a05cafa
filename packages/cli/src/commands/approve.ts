/** `yoi approve`: what waits for the user in all Pods, and the answer to one of them. */
import { escapeControls, YoiError } from "@yoi/base";
import { findNamed, isoTime, listPods, openApprovals } from "@yoi/pod";
import { hostPurpose } from "@yoi/pod-store";
import type { PendingApproval } from "@yoi/protocol";
import {
  type HowLong,
  howLongOf,
  howLongText,
  keptAnswerOf,
  lastsMsOf,
  once,
} from "../client/kept-answer.ts";
import { approvalNamed, isDigestPrefix, prefixCharsMin } from "../client/pending-approvals.ts";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { openQuestions, stdoutScreen } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { jsonLine } from "../output/json-line.ts";
import { printResult } from "../output/print-result.ts";
import { approvalBlock, digestChars, linesOf } from "../output/transcript/entry-blocks.ts";

export interface ApproveFlags {
  readonly deny?: boolean;
  readonly reason?: string;
  readonly for?: HowLong["for"];
  readonly rule?: string;
  /** As `7d`. */
  readonly expires?: string;
  readonly everywhere?: boolean;
  readonly json?: boolean;
}

interface Waiting extends PendingApproval {
  readonly pod: string;
  /** A process hosts the Pod, so that it can be answered now. */
  readonly live: boolean;
  /** A child keeps answers for its session only. */
  readonly isChild: boolean;
}

export async function approve(
  name: string | undefined,
  id: string | undefined,
  flags: ApproveFlags,
): Promise<number> {
  const reach = reachAs("approve");
  if (flags.deny === true && id === undefined)
    throw new YoiError("usage", "--deny refuses one call: `yoi approve NAME ID --deny --reason TEXT`.");
  if (flags.reason !== undefined && flags.deny !== true)
    throw new YoiError("usage", "--reason says why a call is refused: give --deny with it.");
  const how = howLong(flags, reach.stores.host.clock.now());
  if (how !== once && (flags.deny === true || id === undefined))
    throw new YoiError(
      "usage",
      "--for, --rule, --expires and --everywhere say how long one call that is allowed counts: `yoi approve NAME ID --for session`.",
    );
  const { waiting, unknown } =
    name === undefined ? await waitingInAll(reach) : { waiting: await waitingIn(name, reach), unknown: [] };
  if (name !== undefined && id !== undefined)
    return answer(
      approvalNamed(waiting, id),
      { answer: flags.deny === true ? "deny" : "allow", how },
      flags,
      reach,
    );
  if (flags.json === true) {
    process.stdout.write(jsonLine({ pending: waiting.map(jsonOf), unknown }));
    return exitCode.done;
  }
  if (waiting.length === 0) process.stdout.write(nothingWaits(name, unknown));
  show(waiting);
  const [only] = waiting;
  if (waiting.length !== 1 || only?.live !== true || !isAttended(reach)) return exitCode.done;
  const wanted = await askFor(only);
  return wanted === null ? exitCode.done : answer(only, { answer: "allow", how: wanted }, flags, reach);
}

async function answer(
  one: Waiting,
  { answer, how }: { readonly answer: "allow" | "deny"; readonly how: HowLong },
  flags: ApproveFlags,
  reach: Reach,
): Promise<number> {
  const { pod, digest, live, tool, arguments: args, reason } = one;
  const keep = keptAnswerOf(how, one);
  if (!live) {
    throw new YoiError(
      "pod_unreachable",
      `The Pod ${pod} is not hosted, so nothing can be answered now: \`yoi pod restore ${pod}\` first; what waits there still waits.`,
    );
  }
  const more = {
    ...(answer === "deny" && flags.reason !== undefined ? { reason: flags.reason } : {}),
    ...(keep === undefined ? {} : { keep }),
  };
  const { seq, state } = await withPod(pod, reach, async (client) => {
    const before = await client.call("show", {});
    return { ...(await client.call("answer_approval", { digest, answer, ...more })), state: before.state };
  });
  const done = answer === "allow" ? howLongText(keep) : "Denied";
  const rule = keep === undefined ? "" : `\nKept: ${escapeControls(keep.rule)}`;
  const stands =
    state === "running" ? "" : `\nNothing runs in the Pod ${pod}: \`yoi pod resume ${pod}\` goes on with it.`;
  printResult(
    flags,
    { pod, digest, answer, seq, tool, arguments: args, reason, ...(keep === undefined ? {} : { keep }) },
    `${done}: ${escapeControls(`${tool} ${args}`)}${rule}${stands}`,
  );
  return exitCode.done;
}

interface WaitingInAll {
  readonly waiting: readonly Waiting[];
  /** Names of Pods of which it could not be known. */
  readonly unknown: readonly string[];
}

/** One Pod that cannot be asked does not keep the others from being seen; each is said. */
async function waitingInAll(reach: Reach): Promise<WaitingInAll> {
  const waiting: Waiting[] = [];
  const unknown: string[] = [];
  const sayUnknown = (name: string, why: string): void => {
    unknown.push(name);
    process.stderr.write(`yoi: ${escapeControls(why)}\n`);
  };
  for (const { name, unreadable, ownerPurpose } of await listPods(reach.stores)) {
    if (unreadable !== null && ownerPurpose !== hostPurpose) {
      sayUnknown(name, unreadable.error);
      continue;
    }
    try {
      waiting.push(...(await waitingIn(name, reach)));
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      // Removed meanwhile, or without a log yet.
      if (error.code !== "pod_unknown") sayUnknown(name, error.message);
    }
  }
  return { waiting, unknown };
}

/** As its log has it, whoever hosts the Pod: what a process sends of what waits has a limit. */
async function waitingIn(given: string, reach: Reach): Promise<readonly Waiting[]> {
  const { stores } = reach;
  const { name, record } = await findNamed(stores.pods, given);
  const live = isHost(await ownerOf(name, stores.lease));
  // Where its log is cannot be known: the process that hosts it is asked.
  const pending =
    record === null && live
      ? (await withPod(name, reach, (pod) => pod.call("show", {}))).approvals
      : await openApprovals(stores, name);
  const now = stores.host.clock.now();
  return pending
    .filter(({ expires }) => expires > now)
    .map((one) => ({
      ...one,
      pod: name,
      live,
      isChild: record !== null && record.parent !== null,
    }));
}

function nothingWaits(name: string | undefined, unknown: readonly string[]): string {
  const where =
    name === undefined ? (unknown.length === 0 ? "" : " in the other Pods") : ` in the Pod ${name}`;
  return `Nothing waits for an answer${where}.\n`;
}

function show(waiting: readonly Waiting[]): void {
  const columns = stdoutScreen()?.columns ?? null;
  for (const one of waiting) {
    const id = escapeControls(one.digest.slice(0, digestChars));
    const how = one.live
      ? `yoi approve ${one.pod} ${id}   or   yoi approve ${one.pod} ${id} --deny --reason "..."`
      : `The Pod is not hosted: \`yoi pod restore ${one.pod}\`, then answer.`;
    process.stdout.write(
      `${one.pod}, until ${isoTime(one.expires)}:\n${linesOf(approvalBlock(one), columns)}  ${how}\n`,
    );
  }
}

function isAttended({ environment }: Reach): boolean {
  return environment.stdin === "terminal" && environment.stdoutIsTerminal && environment.stderr.isTerminal;
}

/** Of the one that was just shown: by its ID, so that nothing that only looks like a call is answered. Null: nothing is allowed. */
async function askFor({ digest, offers = [], isChild }: Waiting): Promise<HowLong | null> {
  using questions = await openQuestions(new AbortController().signal);
  const longer = isChild ? "`session N`" : "`session N` or `always N`";
  const kept = offers.length === 0 ? "" : `, and behind them ${longer} to keep the rule N`;
  const question = `Allow it? Type the first ${prefixCharsMin} characters behind its "?"${kept}: `;
  const [typed = "", ...words] = ((await questions.ask(question))?.trim() ?? "").split(/\s+/);
  if (typed === "") return null;
  if (!isDigestPrefix(typed) || !digest.startsWith(typed))
    throw new YoiError("usage", "That is not the beginning of its ID: nothing was allowed.");
  const how = howLongOf(words);
  if (how === null)
    throw new YoiError(
      "usage",
      "Behind the ID stands nothing, `session N` or `always N`, with the number of a rule: nothing was allowed.",
    );
  return how;
}

function howLong({ for: long = "once", rule, expires, everywhere }: ApproveFlags, now: number): HowLong {
  if (long === "once" && rule === undefined && expires === undefined && everywhere === undefined) return once;
  return {
    for: long,
    ...(rule === undefined ? {} : { rule }),
    ...(expires === undefined ? {} : { expires: now + lastsMsOf(expires) }),
    ...(everywhere === undefined ? {} : { everywhere }),
  };
}

function jsonOf({ expires, ...one }: Waiting): object {
  const { pod, live, digest, call, tool, arguments: args, reason, offers = [], wish = null } = one;
  return { pod, live, digest, call, tool, arguments: args, reason, expires_ms: expires, offers, wish };
}
