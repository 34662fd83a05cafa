/** The input of a run: the prompt of the command line, what is piped into standard input, or both. */
import type { Readable } from "node:stream";
import { type InputPart, joinTexts, parsePrompt, YoiError } from "@yoi/base";
import { readStdin, type StdinKind } from "./environment.ts";
import { sayIfSlow, type SlowPorts } from "./say-if-slow.ts";

export interface InputSource extends SlowPorts {
  /** The Pod that was named, if one was. */
  readonly pod: string | null;
  readonly stdin: StdinKind;
  /** Default: the process's own. */
  readonly bytes?: Readable;
  /** Ends the wait, with its reason. */
  readonly signal: AbortSignal;
}

/**
 * Without a prompt, or with -, standard input is the prompt, unless it is a terminal. With a prompt a file or a pipe is read to its end and put behind
 * it; a socket or /dev/null is not, because programs that start yoi leave those open without meaning anything by it. What is piped is text as it is:
 * only a prompt that was typed refers to files. Null: a named Pod is to go on.
 */
export async function readInput(
  prompt: string | undefined,
  source: InputSource,
): Promise<readonly InputPart[] | null> {
  if (prompt !== undefined && prompt !== "-") {
    if (prompt.trim() === "")
      throw new YoiError("prompt_empty", "The prompt is empty: say what the Pod should do.");
    const piped = source.stdin === "pipe" ? await readPiped(source, "what to put behind the prompt") : "";
    const parts = parsePrompt(prompt);
    return piped.trim() === "" ? parts : joinTexts([...parts, { type: "text", text: `\n\n${piped}` }]);
  }
  if (source.stdin !== "terminal" || prompt === "-") {
    const text = await readPiped(source, "the prompt");
    if (text.trim() !== "") return [{ type: "text", text }];
    if (prompt === "-")
      throw new YoiError(
        "prompt_empty",
        "The prompt on standard input is empty: say what the Pod should do.",
      );
  }
  if (source.pod === null) {
    throw new YoiError(
      "usage",
      'There is neither a prompt nor a Pod to resume: `yoi run "what to do"`, or `yoi run --pod NAME`.',
    );
  }
  return null;
}

async function readPiped(source: InputSource, what: string): Promise<string> {
  const { bytes, signal, stdin, say } = source;
  const hint =
    stdin === "terminal" ? "end it with Ctrl-D" : "if nothing comes, start yoi again with </dev/null";
  const waiting = `Waiting for ${what} on standard input: ${hint}.`;
  const { text, replaced } = await sayIfSlow(source, waiting, () => readStdin(signal, bytes));
  if (replaced) say("Standard input holds bytes that are not UTF-8: they became U+FFFD.");
  return text;
}
