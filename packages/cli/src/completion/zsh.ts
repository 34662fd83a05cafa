/** Completion for zsh, as a script: tables from the command tree, and one function that reads them. */
import type { CommandShape } from "./shape.ts";
import { quote, valueCases, wordOf } from "./words.ts";

export function zshScript(shapes: readonly CommandShape[]): string {
  const tables = shapes.map(({ path, commands, flags, argument }) => {
    const named = commands.map(({ name, description }) => quote(`${name}:${description}`)).join(" ");
    const flagged = flags
      .flatMap(({ names, description }) => names.map((name) => quote(`${name}:${description}`)))
      .join(" ");
    return `    ${quote(path)}) commands=(${named}) flags=(${flagged}) argument=${quote(wordOf(argument))} ;;`;
  });
  return `#compdef yoi
# Completion of yoi for zsh. Load it with: source <(yoi completion zsh)
_yoi_command() {
  commands=() flags=() argument=
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
_yoi_offer_values() {
  case "$1" in
    pods|models) compadd -- \${(f)"$(yoi __complete "$1" 2>/dev/null </dev/null)"} ;;
    directory) _files -/ ;;
    file) _files ;;
    choices:*) compadd -- \${=1#choices:} ;;
  esac
}
_yoi() {
  local at= word pending= argument value
  local -a commands flags
  local -i i
  _yoi_command ""
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ $word == -*=* ]]; then
      continue
    elif [[ $word == -* ]]; then
      _yoi_value "$at $word"
      pending=$value
    elif [[ -n $pending ]]; then
      pending=
    elif (( \${commands[(I)\${word}:*]} )); then
      at=\${at:+$at }$word
      _yoi_command "$at"
    else
      argument=
    fi
  done
  if [[ \${words[CURRENT]} == -*=* ]]; then
    _yoi_value "$at \${words[CURRENT]%%=*}"
    compset -P '*='
    _yoi_offer_values "$value"
  elif [[ \${words[CURRENT]} == -* ]]; then
    _describe flag flags
  elif [[ -n $pending ]]; then
    _yoi_offer_values "$pending"
  else
    (( $#commands )) && _describe command commands
    _yoi_offer_values "$argument"
  fi
}
if [[ $funcstack[1] == _yoi ]]; then _yoi "$@"; else compdef _yoi yoi; fi
`;
}
