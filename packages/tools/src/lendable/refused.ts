/** The refusal of a lend: what cannot be lent, why, and what to name instead, in one sentence. */
import { YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";

export function refused(target: string, why: string, instead: string): YoiError {
  return new YoiError("loan_refused", `${quotePath(target)} cannot be lent because it ${why}: ${instead}.`, {
    place: { path: target },
  });
}
