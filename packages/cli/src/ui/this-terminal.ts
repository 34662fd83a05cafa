/** The terminal of this process, for the terminal UI. */
import type { Timers } from "@yoi/base";
import { raise } from "@yoi/host";
import { capabilitiesOf, openTerminal, type Terminal } from "@yoi/tui";

/** Taken at once. */
export function takeThisTerminal(timers: Pick<Timers, "after">): Terminal {
  return openTerminal({
    input: process.stdin,
    output: process.stdout,
    capabilities: capabilitiesOf(process.env),
    program: {
      on: (event, listener) => process.on(event, listener),
      off: (event, listener) => process.off(event, listener),
      raise,
    },
    timers,
  });
}
