/** Completion for zsh, as a script: tables from the command tree, and one function that reads them. */
import { completionLists } from "../program/choices.ts";
import type { CommandShape } from "./shape.ts";
import { quote, tableFunctions } from "./words.ts";

export function zshScript(shapes: readonly CommandShape[]): string {
  const tables = tableFunctions(shapes, {
    none: "commands=() flags=()",
    of: ({ commands, flags }) => {
      const named = commands.map(({ name, description }) => quote(`${name}:${description}`));
      const flagged = flags.flatMap(({ names, description }) =>
        names.map((name) => quote(`${name}:${description}`)),
      );
      return `commands=(${named.join(" ")}) flags=(${flagged.join(" ")})`;
    },
  });
  return `#compdef yoi
# Completion of yoi for zsh. Load it with: source <(yoi completion zsh)
${tables}
_yoi_offer_values() {
  case "$1" in
    ${completionLists.join("|")}) compadd -- \${(f)"$(yoi __complete "$1" 2>/dev/null </dev/null)"} ;;
    directory) _files -/ ;;
    file) _files ;;
    choices:*) compadd -- \${=1#choices:} ;;
  esac
}
_yoi() {
  local at= word pending= ended= argument value
  local -a commands flags
  local -i i
  _yoi_command ""
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -z $ended && $word == -- ]]; then
      ended=yes pending= commands=()
    elif [[ -z $ended && $word == -*=* ]]; then
      continue
    elif [[ -z $ended && $word == -* ]]; then
      _yoi_value "$at $word"
      pending=$value
    elif [[ $pending == number && $word != *[^0-9]* ]] || [[ -n $pending && $pending != number ]]; then
      pending=
    elif (( \${commands[(I)\${word}:*]} )); then
      pending= at=\${at:+$at }$word
      _yoi_command "$at"
    else
      pending= argument=
    fi
  done
  if [[ -z $ended && \${words[CURRENT]} == -*=* ]]; then
    _yoi_value "$at \${words[CURRENT]%%=*}"
    compset -P '*='
    _yoi_offer_values "$value"
  elif [[ -z $ended && \${words[CURRENT]} == -* ]]; then
    _describe flag flags
  elif [[ -n $pending && $pending != number ]]; then
    _yoi_offer_values "$pending"
  else
    (( $#commands )) && _describe command commands
    _yoi_offer_values "$argument"
  fi
}
if [[ $funcstack[1] == _yoi ]]; then _yoi "$@"; else compdef _yoi yoi; fi
`;
}
