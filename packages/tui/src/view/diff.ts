/** A change of a file, as rows. */
import type { Line } from "./line.ts";
import type { ViewOptions } from "./theme.ts";

export interface DiffOptions extends ViewOptions {
  /** At least 3; more than that is cut in the middle. */
  readonly rowsMax: number;
}

/** Unified hunks with line numbers and signs; what is not one is shown as it is. */
export function diffLines(hunks: string, options: DiffOptions): Line[] {
  return hunks.split("\n");
}
