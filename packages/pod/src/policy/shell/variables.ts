/** Variables that change what a command line runs. */

const whatRuns: ReadonlySet<string> = new Set([
  "PATH",
  "BASH_ENV",
  "ENV",
  "BASH_ALIASES",
  "BASH_CMDS",
  "SHELLOPTS",
  "BASHOPTS",
  "GCONV_PATH",
  "GIT_EXEC_PATH",
  "GIT_DIR",
]);
const whatRunsPrefix = /^(?:LD_|DYLD_|BASH_FUNC_|GIT_CONFIG)/;

const commands: ReadonlySet<string> = new Set([
  "BROWSER",
  "CVS_RSH",
  "EDITOR",
  "FCEDIT",
  "GIT_ASKPASS",
  "GIT_EDITOR",
  "GIT_EXTERNAL_DIFF",
  "GIT_PAGER",
  "GIT_PROXY_COMMAND",
  "GIT_SEQUENCE_EDITOR",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "LESSCLOSE",
  "LESSOPEN",
  "MANPAGER",
  "PAGER",
  "PROMPT_COMMAND",
  "RSYNC_RSH",
  "SSH_ASKPASS",
  "SUDO_ASKPASS",
  "SUDO_EDITOR",
  "VISUAL",
]);
/** Prompts are expanded like double quotes when they are shown, and PS4 is by `set -x`. */
const prompts: ReadonlySet<string> = new Set(["PS0", "PS1", "PS2", "PS4"]);

/** `programs`: which program a name stands for. `command`: its value is a command. `prompt`: its value is expanded again. */
export type VariableRole = "programs" | "command" | "prompt";

export function roleOf(name: string): VariableRole | null {
  if (whatRuns.has(name) || whatRunsPrefix.test(name)) return "programs";
  if (commands.has(name)) return "command";
  return prompts.has(name) ? "prompt" : null;
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
