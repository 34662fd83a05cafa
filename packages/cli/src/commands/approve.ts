/** `yoi approve`: what waits for the user in all Pods, and the answer to one of them. */
import { escapeControls, YoiError } from "@yoi/base";
import { findPod, isoTime, listPods, openApprovals } from "@yoi/pod";
import type { PendingApproval } from "@yoi/protocol";
import { approvalNamed } from "../client/pending-approvals.ts";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { openQuestions } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { jsonLine } from "../output/json-line.ts";
import { printResult } from "../output/print-result.ts";
import { approvalBlock, digestChars, linesOf } from "../output/transcript/entry-blocks.ts";

export interface ApproveFlags {
  readonly deny?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

interface Waiting extends PendingApproval {
  readonly pod: string;
  /** A process hosts the Pod, so that it can be answered now. */
  readonly live: boolean;
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
  const waiting = name === undefined ? await waitingInAll(reach) : await waitingIn(name, reach);
  if (name !== undefined && id !== undefined)
    return answer(approvalNamed(waiting, id), flags.deny === true ? "deny" : "allow", flags, reach);
  if (flags.json === true) {
    process.stdout.write(jsonLine({ pending: waiting.map(jsonOf) }));
    return exitCode.done;
  }
  show(waiting, name);
  const [only] = waiting;
  if (waiting.length !== 1 || only?.live !== true || !isAttended(reach)) return exitCode.done;
  return (await isWanted()) ? answer(only, "allow", flags, reach) : exitCode.done;
}

async function answer(
  { pod, digest, live, tool, arguments: args, reason }: Waiting,
  answer: "allow" | "deny",
  flags: ApproveFlags,
  reach: Reach,
): Promise<number> {
  if (!live) {
    throw new YoiError(
      "pod_unreachable",
      `The Pod ${pod} is not hosted, so nothing can be answered now: \`yoi pod restore ${pod}\` first; what waits there still waits.`,
    );
  }
  const why = answer === "deny" && flags.reason !== undefined ? { reason: flags.reason } : {};
  const { seq } = await withPod(pod, reach, (client) =>
    client.call("answer_approval", { digest, answer, ...why }),
  );
  const done = answer === "allow" ? "Allowed once" : "Denied";
  printResult(
    flags,
    { pod, digest, answer, seq, tool, arguments: args, reason },
    `${done}: ${escapeControls(`${tool} ${args}`)}`,
  );
  return exitCode.done;
}

async function waitingInAll(reach: Reach): Promise<readonly Waiting[]> {
  const all: Waiting[] = [];
  for (const { name, unreadable } of await listPods(reach.stores)) {
    if (unreadable !== null) continue;
    try {
      all.push(...(await waitingIn(name, reach)));
    } catch (error) {
      // One Pod that cannot be asked does not keep the others from being seen.
      if (!(error instanceof YoiError)) throw error;
      if (error.code !== "pod_unknown") process.stderr.write(`yoi: ${escapeControls(error.message)}\n`);
    }
  }
  return all;
}

/** Of a Pod that nobody hosts, what its log says. */
async function waitingIn(given: string, reach: Reach): Promise<readonly Waiting[]> {
  const { stores } = reach;
  const { name } = await findPod(stores.pods, given);
  const live = isHost(await ownerOf(name, stores.lease));
  const pending = live
    ? (await withPod(name, reach, (pod) => pod.call("show", {}))).approvals
    : (await openApprovals(stores, name)).filter(({ expires }) => expires > stores.host.clock.now());
  return pending.map((one) => ({ ...one, pod: name, live }));
}

function show(waiting: readonly Waiting[], name: string | undefined): void {
  if (waiting.length === 0)
    process.stdout.write(`Nothing waits for an answer${name === undefined ? "" : ` in the Pod ${name}`}.\n`);
  for (const one of waiting) {
    const id = escapeControls(one.digest.slice(0, digestChars));
    const how = one.live
      ? `yoi approve ${one.pod} ${id}   or   yoi approve ${one.pod} ${id} --deny --reason "..."`
      : `The Pod is not hosted: \`yoi pod restore ${one.pod}\`, then answer.`;
    process.stdout.write(
      `${one.pod}, until ${isoTime(one.expires)}:\n${linesOf(approvalBlock(one))}  ${how}\n`,
    );
  }
}

function isAttended({ environment }: Reach): boolean {
  return environment.stdin === "terminal" && environment.stdoutIsTerminal && environment.stderr.isTerminal;
}

/** Of the one that was just shown. */
async function isWanted(): Promise<boolean> {
  using questions = await openQuestions(new AbortController().signal);
  const typed = await questions.ask("Allow it once? Type yes: ");
  return typed?.trim().toLowerCase() === "yes";
}

function jsonOf({ pod, live, digest, call, tool, arguments: args, reason, expires }: Waiting): object {
  return { pod, live, digest, call, tool, arguments: args, reason, expires_ms: expires };
}
