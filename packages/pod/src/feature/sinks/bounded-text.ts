/** Whatever a feature says or throws, as a person may see it: bounded, on one line, without known secrets. */
import { boundedText as boundedLine, thrownText } from "../../hook/said.ts";

export interface BoundedTextOptions {
  /** Takes known secrets out. */
  readonly redact: (text: string) => string;
}

/** Never throws, whatever it is given. */
export function boundedText(said: unknown, { redact }: BoundedTextOptions): string {
  return boundedLine(thrownText(said), redact);
}
