/** What is typed while attached asks for. */
import { type InputPart, isSkillName, nearest, parsePrompt, utf8Length } from "@yoi/base";
import { type HowLong, howLongOf } from "./kept-answer.ts";
import { isDigestPrefix } from "./pending-approvals.ts";

export type Typed =
  | { readonly kind: "nothing" }
  | { readonly kind: "prompt"; readonly parts: readonly InputPart[] }
  | { readonly kind: "cancel" | "pause" | "resume" | "detach" | "help" }
  /** `digest` null: the one that waits. */
  | { readonly kind: "approve"; readonly digest: string | null; readonly how: HowLong }
  | { readonly kind: "deny"; readonly digest: string | null; readonly reason: string }
  | { readonly kind: "notify"; readonly message: string }
  /** For the Pod's own shell. */
  | { readonly kind: "command"; readonly command: string }
  /** Null: none any more. */
  | { readonly kind: "title"; readonly title: string | null }
  /** For the end of the run. */
  | { readonly kind: "later"; readonly parts: readonly InputPart[] }
  | { readonly kind: "wrong"; readonly sentence: string };

/** A terminal keeps no more of a line, and nobody can tell whether there was more. */
export const lineBytesMax = 4_094;

export const typedHelp = `A line is a prompt, and so are lines that are pasted together; @path attaches a file, an image or the names in a directory. While a run goes on it waits for the next step. A line that is typed alone and begins with ! is a command for the Pod's shell, and the model reads what comes of it. A line that is typed alone and begins with / is one of:
  /cancel            end the run; while none goes on, the commands that were begun with !
  /pause             pause the run; /resume goes on with it
  /resume            go on with a paused or interrupted run
  /approve [ID]      allow the call that waits, once; ID is the beginning of what stands behind "?"
  /approve [ID] session [N], /approve [ID] always [N]
                     allow it, and keep the rule N that is shown with it for the session or for always
  /deny [ID] REASON  refuse it; the model is told the reason
  /notify TEXT       tell the model something, also while a run goes on
  /later TEXT        a prompt for the end of the run
  /title [TEXT]      what the Pod is called beside its name; without a text, nothing
  /detach            leave, as Ctrl-C and Ctrl-D do; the Pod goes on
  /help              this
Where a skill is called NAME and no command is, /NAME begins a prompt that loads it.
`;

const plain = ["cancel", "pause", "resume", "detach", "help"] as const;
const withMore = ["approve", "deny", "notify", "later", "title"] as const;
const commands: readonly string[] = [...plain, ...withMore];

/**
 * @param lines one that was typed, or those of a paste: nothing in a paste is a command.
 * @param skills names of those that the Pod can load. A command that is called like one goes before it.
 */
export function readTyped(lines: readonly string[], skills: readonly string[] = []): Typed {
  if (lines.some((line) => utf8Length(line) > lineBytesMax)) {
    return wrong(
      `A terminal cuts a line of more than ${lineBytesMax} bytes, so nothing was sent: put the text into a file and give it with \`yoi pod send NAME <FILE\`, or attach the file with @path.`,
    );
  }
  const text = lines.join("\n");
  if (text.trim() === "") return { kind: "nothing" };
  const [line = "", ...more] = lines;
  if (line.startsWith("!") && more.length === 0) {
    const command = line.slice(1).trim();
    return command === "" ? wrong("! takes a command: !ls -l.") : { kind: "command", command };
  }
  const [, name = "", rest = ""] = /^\/(\S*)\s*(.*?)\s*$/su.exec(line) ?? [];
  if (!line.startsWith("/") || mayBeSkill(name, skills)) return { kind: "prompt", parts: parsePrompt(text) };
  if (more.length > 0) {
    return wrong(
      `${more.length + 1} lines arrived together, and a command is one that is typed alone: nothing was done; a space in front of the first makes a prompt of them.`,
    );
  }
  const word = plain.find((known) => known === name);
  if (word !== undefined)
    return rest === "" ? { kind: word } : wrong(`/${word} takes nothing behind it: nothing was done.`);
  const [first = ""] = rest.split(/\s/, 1);
  if (name === "approve") {
    const digest = isDigestPrefix(first) ? first : null;
    const words = rest.split(/\s+/).filter((word) => word !== "");
    const how = howLongOf(digest === null ? words : words.slice(1));
    if (how !== null) return { kind: "approve", digest, how };
    return wrong(
      "/approve takes the beginning of what stands behind `?`, and behind that `session` or `always` with the number of a rule: nothing was allowed.",
    );
  }
  if (name === "deny") {
    const digest = isDigestPrefix(first) ? first : null;
    const reason = digest === null ? rest : rest.slice(first.length).trim();
    return reason === ""
      ? wrong("/deny takes a reason, which the model is told: /deny [ID] REASON.")
      : { kind: "deny", digest, reason };
  }
  if (name === "notify")
    return rest === ""
      ? wrong("/notify takes what the model is to be told: /notify TEXT.")
      : { kind: "notify", message: rest };
  if (name === "later")
    return rest === ""
      ? wrong("/later takes what is to be done behind the run: /later TEXT.")
      : { kind: "later", parts: parsePrompt(rest) };
  if (name === "title") return { kind: "title", title: rest === "" ? null : rest };
  return wrong(
    `There is no /${name}: /help shows the commands; a space in front makes a prompt of the line.`,
  );
}

/** One that is none of those that the Pod had at its start, it may have now: it says so where not. What is nearly a known name is that, mistyped. */
function mayBeSkill(name: string, skills: readonly string[]): boolean {
  if (commands.includes(name)) return false;
  return skills.includes(name) || (isSkillName(name) && nearest(name, [...commands, ...skills]) === null);
}

function wrong(sentence: string): Typed {
  return { kind: "wrong", sentence };
}
