/** Loan notices: what the model is told of a loan that came back, or did not; each once, over crashes, and never more than a notice holds. */
import { cutUtf8, messageOf, type Loan, type PodName, type ScopeRule, utf8Length, YoiError } from "@yoi/base";
import type { ChildRecord, ReclaimReason } from "@yoi/pod-store";
import { writeRules } from "@yoi/scope";
import type { Lender } from "./lender.ts";

/** What one notice names of a list that may be longer: so many, and so many bytes of them. */
export const listedMax = 16;
export const listedBytesMax = 6 * 1024;
/** Of the sentence of a refusal that a notice repeats. */
export const whyBytesMax = 1024;

type Teller = Pick<Lender, "tell" | "isTold">;

/** How the child came to be gone. */
export interface ChildEnd {
  readonly reason: ReclaimReason;
  /** Why it stopped, as its log says, in brackets; "" where that says nothing. */
  readonly said: string;
  /** Of it and those below it: they did not end when they were asked. */
  readonly killed: readonly PodName[];
}

/** False: the inbox is full. Told once: a crash behind it finds the name on record. */
export async function tellReclaim(
  lender: Teller,
  child: ChildRecord,
  end: ChildEnd,
  quiet: boolean,
): Promise<boolean> {
  const submission = reclaimName(lender, child.loan);
  if (lender.isTold(submission)) return true;
  try {
    await lender.tell({
      child: child.name,
      message: reclaimMessage(child, end),
      reason: `the loan of the child ${child.name} came back: ${end.reason}`,
      submission,
      quiet,
    });
    return true;
  } catch (error) {
    if (error instanceof YoiError && error.code === "inbox_full") return false;
    throw error;
  }
}

/** Where it was told that the loan came back, and a crash came before that was so: somebody has started the child again on it. */
export async function takeReclaimBack(lender: Teller, { name, loan }: ChildRecord): Promise<void> {
  const told = reclaimName(lender, loan);
  if (!lender.isTold(told)) return;
  await lender.tell({
    child: name,
    message: `The loan of the child ${name} is open after all: ${name} was started again before its loan was back, and works on what you lent it.`,
    reason: `the child ${name} was started again on its loan`,
    submission: reopenedName(loan, nthReclaim(lender, loan)),
    quiet: false,
  });
}

/** Its own process is gone, and one below it lives on: told once. */
export async function tellKept(
  lender: Teller & Pick<Lender, "warn">,
  { name, loan }: ChildRecord,
  error: YoiError,
): Promise<void> {
  const submission = `kept/${loan.id}`;
  if (lender.isTold(submission)) return;
  try {
    await lender.tell({
      child: name,
      message: `The child ${name} is gone, but a Pod below it still works on what you lent, so the loan stays open: ${cutUtf8(error.message, whyBytesMax)} StopPod of ${name} ends what is below it, and RestorePod starts ${name} again.`,
      reason: `a Pod below the child ${name} lives`,
      submission,
      quiet: false,
    });
  } catch (failure) {
    // Said again at the next look.
    lender.warn(`The notice that the loan of ${name} stays open was not accepted: ${messageOf(failure)}`);
  }
}

/** Every notice that was taken back makes room for another one of the same loan. */
function reclaimName(lender: Teller, loan: Loan): string {
  const nth = nthReclaim(lender, loan);
  return nth === 1 ? `reclaim/${loan.id}` : `reclaim/${loan.id}/${nth}`;
}

function nthReclaim({ isTold }: Teller, loan: Loan): number {
  let nth = 1;
  while (isTold(reopenedName(loan, nth))) nth += 1;
  return nth;
}

function reopenedName({ id }: Loan, nth: number): string {
  return `kept/${id}/${nth}`;
}

const fates: Readonly<Record<ReclaimReason, (name: PodName, said: string) => string>> = {
  stopped: (name, said) => `The child ${name} has stopped${said}, and its loan came back.`,
  lost: (name) => `The child ${name} is gone without an orderly end, and its loan came back.`,
  not_started: (name) => `The child ${name} never began, and its loan came back.`,
};

/** What the model reads. */
export function reclaimMessage(
  { name, loan, task }: ChildRecord,
  { reason, said, killed }: ChildEnd,
): string {
  const again =
    reason === "not_started"
      ? "SpawnPod begins it anew, with its task."
      : `RestorePod starts it again with the same loan.${task === undefined ? "" : notKnownGiven}`;
  const cut =
    killed.length === 0
      ? ""
      : ` Killed, because they did not end when they were asked: ${listed(killed)}. A run that went on there has no end in its log.`;
  return `${fates[reason](name, said)}${cut} ${writableAgain(writeRules(loan.scope))} ${again}`;
}

/** Of one that died while the task was on its way. */
const notKnownGiven = " Whether it was given its task is not known: give it with SendToPod then.";

function writableAgain(rules: readonly ScopeRule[]): string {
  if (rules.length === 0) return "It could write nothing, so what you may write is as before.";
  const paths = rules.map(({ target, recursive }) =>
    recursive ? target : `${target} (itself and its direct children)`,
  );
  return `You may write there again: ${listed(paths)}.`;
}

/** As many from the beginning as there is room for. */
function listed(all: readonly string[]): string {
  const named: string[] = [];
  let bytes = 0;
  for (const one of all.slice(0, listedMax)) {
    bytes += utf8Length(one);
    if (bytes > listedBytesMax) break;
    named.push(one);
  }
  const more = all.length - named.length;
  if (more === 0) return named.join(", ");
  return named.length === 0 ? `${more} with long names` : `${named.join(", ")} and ${more} more`;
}
