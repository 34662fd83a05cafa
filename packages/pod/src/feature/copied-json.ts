/** Values that cross the boundary between a feature and anybody else: copied as JSON, bounded and frozen, so that nobody holds the other's objects. */
import {
  deepFreeze,
  type ErrorCode,
  isDepthWithin,
  type JsonValue,
  jsonDepthMax,
  utf8Length,
  YoiError,
} from "@yoi/base";

export interface CopyOptions {
  /** UTF-8 bytes of the JSON text. */
  readonly bytesMax: number;
  /** For the sentence, as in "The input of ...". */
  readonly what: string;
  /** The code where the value is no JSON; what is too large or too deep is limit_exceeded. */
  readonly invalid: ErrorCode;
}

/**
 * A frozen copy, as JSON.stringify makes it: values of running features are for other features, which want what JSON keeps of them. What a
 * module declares is for the host to judge, so there `plainCopy` refuses whatever JSON would leave out or change.
 */
export function copiedJson(value: unknown, options: CopyOptions): JsonValue {
  const { bytesMax, what } = options;
  const text = textOf(value, options);
  const bytes = utf8Length(text);
  if (bytes > bytesMax) {
    throw new YoiError(
      "limit_exceeded",
      `${what} has ${bytes} bytes as JSON; the most it can have is ${bytesMax}.`,
    );
  }
  const copy = JSON.parse(text) as JsonValue;
  if (!isDepthWithin(copy, jsonDepthMax)) {
    throw new YoiError("limit_exceeded", `${what} is nested deeper than ${jsonDepthMax} levels.`);
  }
  return deepFreeze(copy);
}

/** Whatever goes wrong in between is the value's own doing: a cycle, a bigint, a getter or a toJSON that throws. */
function textOf(value: unknown, { what, invalid }: CopyOptions): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  if (text === undefined) throw new YoiError(invalid, `${what} cannot be written as JSON.`);
  return text;
}
