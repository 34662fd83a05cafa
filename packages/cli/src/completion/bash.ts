/** Completion for bash, as a script: two tables from the command tree, and one function that reads them. */
import type { CommandShape } from "./shape.ts";
import { quote, valueCases, wordOf } from "./words.ts";

export function bashScript(shapes: readonly CommandShape[]): string {
  const tables = shapes.map(
    ({ path, commands, flags, argument }) =>
      `    ${quote(path)}) commands=${quote(commands.map(({ name }) => name).join(" "))} flags=${quote(
        flags.flatMap(({ names }) => names).join(" "),
      )} argument=${quote(wordOf(argument))} ;;`,
  );
  return `# Completion of yoi for bash. Load it with: source <(yoi completion bash)
_yoi_command() {
  commands= flags= argument=
  case "$1" in
${tables.join("\n")}
  esac
}
_yoi_value() {
  value=
  case "$1" in
${valueCases(shapes)}
  esac
}
# Candidates are lines on standard input; none is ever expanded.
_yoi_offer() {
  local candidate
  while IFS= read -r candidate; do
    [[ -n $candidate && $candidate == "$cur"* ]] && COMPREPLY+=("$(printf %q "$candidate")")
  done
}
_yoi_offer_values() {
  case "$1" in
    pods|models) _yoi_offer < <(yoi __complete "$1" 2>/dev/null </dev/null) ;;
    directory) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    choices:*) _yoi_offer < <(printf '%s\\n' \${1#choices:}) ;;
  esac
}
_yoi() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at= word pending= commands flags argument value i
  COMPREPLY=()
  _yoi_command ""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = ]]; then continue; fi
    if [[ $word == -* ]]; then
      _yoi_value "$at $word"
      pending=$value
    elif [[ -n $pending ]]; then
      pending=
    elif [[ " $commands " == *" $word "* ]]; then
      at=\${at:+$at }$word
      _yoi_command "$at"
    else
      argument=
    fi
  done
  if [[ $cur == = ]]; then cur=; fi
  if [[ $cur == -* ]]; then
    _yoi_offer < <(printf '%s\\n' $flags)
  elif [[ -n $pending ]]; then
    _yoi_offer_values "$pending"
  else
    _yoi_offer < <(printf '%s\\n' $commands)
    _yoi_offer_values "$argument"
  fi
}
complete -F _yoi yoi
`;
}
