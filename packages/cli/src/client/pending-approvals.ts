/** Which of the calls that wait for the user is meant. Nothing is allowed that was not named or shown. */
import { YoiError } from "@yoi/base";
import type { PendingApproval } from "@yoi/protocol";

/** Of a digest: as much as has to be typed. */
export const prefixCharsMin = 8;

/** Whether a word can be meant as one of the digests. */
export function isDigestPrefix(word: string): boolean {
  return new RegExp(`^[0-9a-f]{${prefixCharsMin},64}$`).test(word);
}

/** The one that `prefix` names. Throws approval_unknown, and usage where it names none or several. */
export function approvalNamed<T extends Pick<PendingApproval, "digest">>(
  pending: readonly T[],
  prefix: string,
): T {
  if (!isDigestPrefix(prefix))
    throw new YoiError(
      "usage",
      `${JSON.stringify(prefix)} names no approval: give at least the first ${prefixCharsMin} characters of the one that is shown.`,
    );
  const [found, ...others] = pending.filter(({ digest }) => digest.startsWith(prefix));
  if (found === undefined)
    throw new YoiError(
      "approval_unknown",
      `No call waits under ${prefix}: it was answered, has expired, or belongs to another Pod.`,
    );
  if (others.length > 0)
    throw new YoiError("usage", `${prefix} is the beginning of several approvals: give more characters.`);
  return found;
}
