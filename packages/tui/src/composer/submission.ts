/** Submission: what is meant by what was sent off. */
import type { Command } from "../commands/command.ts";
import { parseCommand } from "../commands/parse.ts";
import { type Composer, isBlank, textOf } from "./composer.ts";
import { withSkill } from "./parts.ts";

export type Submission =
  | { readonly kind: "nothing" }
  /** As it is kept and sent. */
  | { readonly kind: "prompt"; readonly composer: Composer }
  /** `!`: for the shell of the Pod. */
  | { readonly kind: "shell"; readonly command: string }
  /** `#`: for the model, by the way. */
  | { readonly kind: "note"; readonly message: string }
  | { readonly kind: "command"; readonly command: Command }
  /** As a wrong one, if no skill of that name is found when they are looked for again. */
  | { readonly kind: "unknown"; readonly sentence: string }
  /** Nothing is sent, and it stays in the composer. */
  | { readonly kind: "wrong"; readonly sentence: string };

/** How a text begins says what it is; white space in front makes a prompt of any. */
export type SubmissionKind = "prompt" | "shell" | "note" | "command";

/** For the sign in front of the composer too, so that nobody is surprised by what Enter does. */
export function kindOf({ text }: Composer): SubmissionKind {
  if (text.startsWith("!")) return "shell";
  // A heading with text below it is Markdown.
  if (text.startsWith("#") && !text.includes("\n")) return "note";
  if (text === "?") return "command";
  return /^(?:\/|:[A-Za-z])/.test(text) && parseCommand(text) !== null ? "command" : "prompt";
}

/** @param skills names of those that can be loaded. */
export function submissionOf(composer: Composer, skills: readonly string[] = []): Submission {
  if (isBlank(composer)) return { kind: "nothing" };
  switch (kindOf(composer)) {
    case "prompt":
      return { kind: "prompt", composer };
    case "shell": {
      const command = textOf(composer).slice(1).trim();
      return command === ""
        ? { kind: "wrong", sentence: "Behind ! stands a command for the shell: nothing was run." }
        : { kind: "shell", command };
    }
    case "note": {
      const message = textOf(composer).slice(1).trim();
      return message === ""
        ? { kind: "wrong", sentence: "Behind # stands what the model is told: nothing was sent." }
        : { kind: "note", message };
    }
    case "command":
      return composer.text === "?"
        ? { kind: "command", command: { kind: "help" } }
        : commandOf(composer, skills);
  }
}

function commandOf(composer: Composer, skills: readonly string[]): Submission {
  const reading = parseCommand(textOf(composer), skills) ?? { kind: "prompt", composer };
  if (reading.kind !== "skill") return reading;
  const prompt = withSkill(composer, reading.name, reading.from);
  return prompt === null
    ? {
        kind: "wrong",
        sentence: "The name of a skill is typed, not pasted with what follows: nothing was sent.",
      }
    : { kind: "prompt", composer: prompt };
}
