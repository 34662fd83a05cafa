/** Bash: runs a command in the workspace, held by the sandbox. */
import { type Tool, YoiError } from "@yoi/base";
import { readArguments, schemaOf } from "./arguments.ts";
import { inlineBytesMax, inlineLinesMax } from "./output-tail.ts";
import { commandTimeoutMaxS, type Shell } from "./shell.ts";

export const timeoutDefaultS = 120;
export const timeoutMaxS = commandTimeoutMaxS;
/** Linux refuses a longer single argument. */
export const commandBytesMax = 120 * 1024;

const fields = {
  command: { type: "string", description: "A command for bash." },
  timeout_s: {
    type: "integer",
    description: `Seconds after which the command and everything it started is ended. Default ${timeoutDefaultS}.`,
    min: 1,
    max: timeoutMaxS,
    optional: true,
  },
} as const;

export function bashTool(shell: Shell): Tool {
  return {
    definition: {
      name: "Bash",
      description:
        "Runs a command with bash in the workspace. Each call is a new shell: directory and variables are not kept, there is no input, and " +
        "what runs in the background ends with the command. Output and errors come together in order. " +
        `Output of more than ${inlineLinesMax} lines or ${inlineBytesMax / 1024} KiB is kept in a file that Read can show; its end is returned. ` +
        "A command that fails is shown with its exit code in the first line.",
      input_schema: schemaOf(fields),
    },
    readOnly: false,
    // A command may use any file that the scope names, in the workspace or not.
    claim: () => ({ path: "/", mode: "exclusive" }),
    execute: async (args, context) => {
      const { command, timeout_s: timeoutS = timeoutDefaultS } = readArguments("Bash", fields, args);
      if (command.trim() === "") throw new YoiError("usage", "The command is empty.");
      if (Buffer.byteLength(command) > commandBytesMax) {
        throw new YoiError(
          "limit_exceeded",
          `The command is longer than ${commandBytesMax} bytes: write it to a file and run that.`,
        );
      }
      return (await shell.run({ command, timeoutS }, context)).output;
    },
  };
}
