/** Completion for bash (3.2 of a Mac included), as a script: two tables from the command tree, and one function that reads them. */
import { completionLists } from "../program/choices.ts";
import type { CommandShape } from "./shape.ts";
import { quote, tableFunctions } from "./words.ts";

export function bashScript(shapes: readonly CommandShape[]): string {
  const words = (list: readonly string[]): string => quote(list.join(" "));
  const tables = tableFunctions(shapes, {
    none: "commands= flags=",
    of: ({ commands, flags }) =>
      `commands=${words(commands.map(({ name }) => name))} flags=${words(flags.flatMap(({ names }) => names))}`,
  });
  return `# Completion of yoi for bash. Load it with: eval "$(yoi completion bash)"
${tables}
# Candidates are lines on standard input; none is ever expanded.
_yoi_offer() {
  local candidate quoted
  while IFS= read -r candidate; do
    [[ -n $candidate && $candidate == "$cur"* ]] || continue
    printf -v quoted %q "\${candidate#"$kept"}"
    COMPREPLY+=("$quoted")
  done
}
# Bash quotes these itself, where it can be told that they are files.
_yoi_offer_files() {
  local candidate
  compopt -o filenames 2>/dev/null
  while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen "$1" -- "$cur")
}
_yoi_offer_values() {
  case "$1" in
    ${completionLists.join("|")}) _yoi_offer < <(yoi __complete "$1" 2>/dev/null </dev/null) ;;
    directory) _yoi_offer_files -d ;;
    file) _yoi_offer_files -f ;;
    choices:*) _yoi_offer < <(printf '%s\\n' \${1#choices:}) ;;
  esac
}
_yoi() {
  local cur= kept= at= word pending= ended= commands flags argument value i
  local -a words
  COMPREPLY=() words=("\${COMP_WORDS[0]}")
  # Bash takes words apart at a colon, and puts what is offered behind the last one.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((i > 1)) && [[ $word == : || \${COMP_WORDS[i-1]} == : ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  cur=\${words[\${#words[@]}-1]}
  if [[ $COMP_WORDBREAKS == *:* && $cur == *:* ]]; then kept=\${cur%:*}:; fi
  _yoi_command ""
  for ((i = 1; i < \${#words[@]} - 1; i++)); do
    word=\${words[i]}
    if [[ $word == = ]]; then continue; fi
    if [[ -z $ended && $word == -- ]]; then
      ended=yes pending= commands=
    elif [[ -z $ended && $word == -* ]]; then
      _yoi_value "$at $word"
      pending=$value
    elif [[ $pending == number && $word != *[!0-9]* ]] || [[ -n $pending && $pending != number ]]; then
      pending=
    elif [[ " $commands " == *" $word "* ]]; then
      pending= at=\${at:+$at }$word
      _yoi_command "$at"
    else
      pending= argument=
    fi
  done
  if [[ $cur == = ]]; then cur=; fi
  if [[ -z $ended && $cur == -* ]]; then
    _yoi_offer < <(printf '%s\\n' $flags)
  elif [[ -n $pending && $pending != number ]]; then
    _yoi_offer_values "$pending"
  else
    _yoi_offer < <(printf '%s\\n' $commands)
    _yoi_offer_values "$argument"
  fi
}
complete -F _yoi yoi
`;
}
