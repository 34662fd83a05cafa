/** Variables that change what a command line runs. */
import type { ShellWord } from "./shell-word.ts";
import {
  commands,
  harmless,
  harmlessPrefix,
  harmlessValues,
  prompts,
  steering,
  steeringPrefix,
} from "./variable-names.ts";

/** `programs`: what programs find and run. `command`: its value is a command. `prompt`: its value is expanded again. */
export type VariableRole = "programs" | "command" | "prompt";

export function roleOf(name: string): VariableRole | null {
  if (isHarmless(name)) return null;
  if (commands.has(name)) return "command";
  if (prompts.has(name)) return "prompt";
  return steering.has(name) || steeringPrefix.test(name) ? "programs" : null;
}

/** A command with it is no other command. */
export function isHarmless(name: string): boolean {
  return harmless.has(name) || harmlessPrefix.test(name);
}

/** Whether a variable that has a role has none with this value. */
export function isHarmlessValue(name: string, { pieces, written }: ShellWord): boolean {
  if (pieces.some((piece) => /["$]/.test(piece ?? ""))) return false;
  return harmlessValues.some(([names, values]) => names.test(name) && values.test(written));
}

/** `NAME`, `NAME=value` or `NAME+=value`; null of what is none of these. A name may hold what only an environment can, as `BASH_FUNC_x%%`. */
export function assignmentIn(text: string): { readonly name: string; readonly value: string } | null {
  const match = /^([A-Za-z_][A-Za-z0-9_]*(?:%%|\(\))?)(?:\[[^\]]*\])?(?:\+?=([^]*))?$/.exec(text);
  return match === null ? null : { name: match[1] ?? "", value: match[2] ?? "" };
}

/** Whether a text would run a command if a shell expanded it, as it does with subscripts, prompts and here-documents. */
export function runsWhenExpanded(text: string): boolean {
  return /\$\(|`|\$\{[ \t\n|]/.test(text);
}
