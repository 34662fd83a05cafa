/** The terminal of this process. */
import { capabilitiesOf } from "./capabilities.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

export function openThisTerminal(): Terminal {
  return openTerminal({
    input: process.stdin,
    output: process.stdout,
    capabilities: capabilitiesOf(process.env),
    program: {
      on: (event, listener) => process.on(event, listener),
      off: (event, listener) => process.off(event, listener),
      listenerCount: (event) => process.listenerCount(event),
      raise: (signal) => process.kill(process.pid, signal),
    },
  });
}
