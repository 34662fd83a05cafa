/** Errors of the host as a feature gets them: the code and a bounded message, and no object of the host behind it. */
import { type ErrorCode, YoiError } from "@yoi/base";
import { boundedText, type BoundedTextOptions } from "../../hook/said.ts";

/** `otherwise`: the code of what is no YoiError. */
export function boundedError(thrown: unknown, otherwise: ErrorCode, options: BoundedTextOptions): YoiError {
  const code = thrown instanceof YoiError ? thrown.code : otherwise;
  return new YoiError(code, boundedText(thrown, options));
}
