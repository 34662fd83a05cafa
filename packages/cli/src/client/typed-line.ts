/** What a line typed while attached asks for. */
import type { InputPart } from "@yoi/base";
import { parsePrompt } from "../parse-prompt.ts";
import { isDigestPrefix } from "./pending-approvals.ts";

export type Typed =
  | { readonly kind: "nothing" }
  | { readonly kind: "prompt"; readonly parts: readonly InputPart[] }
  | { readonly kind: "cancel" | "pause" | "resume" | "detach" | "help" }
  /** `digest` null: the one that waits. */
  | { readonly kind: "approve"; readonly digest: string | null }
  | { readonly kind: "deny"; readonly digest: string | null; readonly reason: string }
  | { readonly kind: "wrong"; readonly sentence: string };

export const typedHelp = `A line is a prompt; @path attaches a file, an image or the names in a directory. A line that begins with / is one of:
  /cancel            end the run
  /pause             pause the run; /resume goes on with it
  /resume            go on with a paused or interrupted run
  /approve [ID]      allow the call that waits, once; ID is the beginning of what stands behind "?"
  /deny [ID] REASON  refuse it; the model is told the reason
  /detach            leave, as Ctrl-C and Ctrl-D do; the Pod goes on
  /help              this
`;

const plain = ["cancel", "pause", "resume", "detach", "help"] as const;

export function readTyped(line: string): Typed {
  if (line.trim() === "") return { kind: "nothing" };
  if (!line.startsWith("/")) return { kind: "prompt", parts: parsePrompt(line) };
  const [, name = "", rest = ""] = /^\/(\S*)\s*(.*?)\s*$/su.exec(line) ?? [];
  const word = plain.find((known) => known === name);
  if (word !== undefined)
    return rest === "" ? { kind: word } : wrong(`/${word} takes nothing behind it: nothing was done.`);
  const [first = ""] = rest.split(/\s/, 1);
  if (name === "approve") {
    if (rest === "") return { kind: "approve", digest: null };
    if (isDigestPrefix(rest)) return { kind: "approve", digest: rest };
    return wrong("/approve takes the beginning of what stands behind `?`: nothing was allowed.");
  }
  if (name === "deny") {
    const digest = isDigestPrefix(first) ? first : null;
    const reason = digest === null ? rest : rest.slice(first.length).trim();
    return reason === ""
      ? wrong("/deny takes a reason, which the model is told: /deny [ID] REASON.")
      : { kind: "deny", digest, reason };
  }
  return wrong(
    `There is no /${name}: /help shows the commands; a space in front makes a prompt of the line.`,
  );
}

function wrong(sentence: string): Typed {
  return { kind: "wrong", sentence };
}
