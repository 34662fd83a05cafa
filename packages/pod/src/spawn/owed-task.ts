/** The task that a child was begun for: owed, on record with its loan, until the child has it, so that it gets it once whatever dies on the way. */
import { messageOf, type PodName, utf8Length, YoiError } from "@yoi/base";
import type { ChildRecord, OwedTask } from "@yoi/pod-store";
import type { ChildHost } from "./child-host.ts";
import type { Lender } from "./lender.ts";
import { isLooserChild } from "./looser-child.ts";
import { submitTo } from "./messages.ts";

/** Of a child that was just begun. Where it fails, the caller says so, and nothing is owed. Throws what the child is reached and answers with. */
export async function giveTask(
  lender: Lender,
  host: ChildHost,
  name: PodName,
  task: OwedTask,
): Promise<void> {
  try {
    await submitTo(host, name, task.text, task.submission);
  } catch (error) {
    await isGiven(lender, name).catch((failure: unknown) => keptOwed(lender, name, failure));
    throw new YoiError(
      error instanceof YoiError ? error.code : "pod_unreachable",
      `The child ${name} has begun and holds its loan, but ${notGiven(task, error)}`,
      { cause: error },
    );
  }
  await isGiven(lender, name).catch((failure: unknown) => keptOwed(lender, name, failure));
}

/** In the child's turn: what an earlier owner died over. The model is told how it ended; as long as the child is not there, or at something else, it stays owed. */
export async function giveOwedTask(lender: Lender, host: ChildHost, child: ChildRecord): Promise<void> {
  const { name, task, loan } = child;
  // It gets no work as long as it may do more than its parent.
  if (task === undefined || (await isLooserChild(lender, child))) return;
  let failure: string | null = null;
  try {
    await submitTo(host, name, task.text, task.submission);
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    if (passing.includes(error.code)) return;
    failure = notGiven(task, error);
  }
  const submission = `task/${loan.id}`;
  if (!lender.isTold(submission)) {
    await lender.tell({
      child: name,
      message:
        failure === null
          ? `The child ${name} has begun, and has been given its task.`
          : `The child ${name} has begun and holds its loan, but ${failure}`,
      reason: `the child ${name} was owed its task`,
      submission,
      quiet: failure === null,
    });
  }
  await isGiven(lender, name);
}

/** It is not up yet, is ending, or somebody else gave it work first. */
const passing: readonly string[] = ["pod_unreachable", "cancelled", "already_running"];

async function isGiven({ record }: Pick<Lender, "record">, name: PodName): Promise<void> {
  const child = record.openChild(name);
  if (child?.task === undefined) return;
  const { task: _, ...given } = child;
  await record.putChild(given);
}

/** It is given again, and comes in once. */
function keptOwed({ warn }: Pick<Lender, "warn">, name: PodName, failure: unknown): void {
  warn(`The child ${name} stays on record as one without its task: ${messageOf(failure)}`);
}

function notGiven({ text }: OwedTask, error: unknown): string {
  return `was not given its task (${utf8Length(text)} bytes): ${messageOf(error)} Give it with SendToPod, or end the child with StopPod.`;
}
