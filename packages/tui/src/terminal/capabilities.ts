/** What a terminal can do, by what its environment says. */
import type { Reflow } from "./reflow.ts";

export interface Capabilities {
  /** Nothing but lines: the plain mode. */
  readonly isDumb: boolean;
  readonly colors: boolean;
  readonly hyperlinks: boolean;
  readonly isTmux: boolean;
  readonly isRemote: boolean;
  readonly reflow: Reflow;
}
