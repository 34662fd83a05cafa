/** Whatever a feature says or throws, as a person may see it: bounded, on one line, without known secrets. */
import { messageOf } from "@yoi/base";
import { boundedText as boundedLine } from "../../hook/said.ts";

export interface BoundedTextOptions {
  /** Takes known secrets out. */
  readonly redact: (text: string) => string;
}

/** Never throws, whatever it is given. */
export function boundedText(said: unknown, { redact }: BoundedTextOptions): string {
  return boundedLine(messageOf(said), redact);
}
