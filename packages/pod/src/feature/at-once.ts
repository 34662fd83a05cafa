/** What a feature is to give by the time that its function returns. */
import { YoiError } from "@yoi/base";
import { heard } from "./heard.ts";

/** Throws feature_invalid for a promise: whatever comes of it comes too late, a rejection too. */
export function atOnce<T>(method: string, given: T): T {
  if (!(given instanceof Promise)) return given;
  void heard(given);
  throw new YoiError(
    "feature_invalid",
    `\`${method}\` gave a promise, and what it does has to be done when it returns.`,
  );
}
