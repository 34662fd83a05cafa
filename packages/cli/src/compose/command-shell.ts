/** Commands of the user, in the very shell that the Bash tool has: the same sandbox, scope, environment and bounds. */
import type { PodSetup } from "@yoi/pod";
import type { LiveScope } from "@yoi/scope";
import { commandTimeoutMaxS, type Shell, type ShellResult } from "@yoi/tools";

type CommandShell = NonNullable<PodSetup["shell"]>;

/** While one goes on a lend waits for it, as for a call. */
export function commandShell(shell: Shell, scope: Pick<LiveScope, "enter">): CommandShell {
  return {
    get missing() {
      return shell.missing;
    },
    run: async (command, context) => {
      const leave = scope.enter(`a command of the user (${context.call})`);
      try {
        const { exit, output } = await shell.run({ command, timeoutS: commandTimeoutMaxS }, context);
        const { content = "", record } = output;
        const ended = { end: exit.kind, exit: exit.kind === "exited" ? exit.code : null, how: howOf(exit) };
        return { ...ended, text: content, ...(record === undefined ? {} : { record }) };
      } finally {
        leave();
      }
    },
  };
}

function howOf(exit: ShellResult["exit"]): string {
  switch (exit.kind) {
    case "exited":
      return `exit code ${exit.code}`;
    case "signalled":
      return `ended by ${exit.signal}`;
    case "timed_out":
      return `ended after ${commandTimeoutMaxS} s, with everything it started`;
    case "cancelled":
      return "stopped, with everything it started";
  }
}
