/** What waits for the user, from the record alone: the same for the Pod's owner and for whoever reads its log. */
import type { PodName } from "@yoi/base";
import type { PendingApproval } from "@yoi/protocol";
import type { OpenApproval, SessionState } from "@yoi/session-store";
import { parseArguments } from "@yoi/worker";
import { approvalDigest, type ApprovalSubject } from "./digest.ts";

type Approved = Pick<SessionState, "approvals" | "unanswered" | "segment">;

/** Of an approval whose digest is not that of its call in the log there is none. */
export function pendingOf(state: Approved, pod: PodName): readonly PendingApproval[] {
  return state.approvals.flatMap((open) => {
    const subject = open.answer === null ? subjectOf(state, pod, open) : null;
    if (subject === null) return [];
    const { call, digest, reason, expires, offers, wish } = open;
    return [
      {
        digest,
        call,
        tool: subject.tool,
        arguments: JSON.stringify(subject.arguments),
        reason,
        expires,
        ...(offers.length === 0 ? {} : { offers }),
        ...(wish === null ? {} : { wish }),
      },
    ];
  });
}

/** What the log says that the approval is about; null where that is not what was asked. */
export function subjectOf(
  { unanswered, segment }: Approved,
  pod: PodName,
  { call, digest }: Pick<OpenApproval, "call" | "digest">,
): ApprovalSubject | null {
  const made = unanswered.find((one) => one.call === call);
  if (made === undefined) return null;
  const parsed = parseArguments(made.name, made.arguments);
  if ("problem" in parsed) return null;
  const subject = { pod, segment, call, tool: made.name, arguments: parsed.args };
  return approvalDigest(subject) === digest ? subject : null;
}
