/** What the scripts for bash and zsh have in common: quoting, and the two functions that know the command tree. */
import type { CommandShape, Values } from "./shape.ts";

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** One word that the script takes apart again; empty: nothing can stand there. */
function wordOf(values: Values | null): string {
  if (values === null) return "";
  return values.kind === "choices" ? `choices:${values.choices.join(" ")}` : values.kind;
}

/** `lists`: the assignments of `commands` and `flags` for a command, and what empties both. */
export interface Lists {
  readonly none: string;
  readonly of: (shape: CommandShape) => string;
}

/** `_yoi_command "pod show"` sets `commands`, `flags` and `argument`; `_yoi_value "pod verify --wire"` sets `value`. */
export function tableFunctions(shapes: readonly CommandShape[], lists: Lists): string {
  const commands = shapes.map(
    (shape) => `    ${quote(shape.path)}) ${lists.of(shape)} argument=${quote(wordOf(shape.argument))} ;;`,
  );
  const values = shapes.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === null
        ? []
        : [
            `    ${names.map((name) => quote(`${path} ${name}`)).join("|")}) value=${quote(wordOf(value))} ;;`,
          ],
    ),
  );
  return `_yoi_command() {
  ${lists.none} argument=
  case "$1" in
${commands.join("\n")}
  esac
}
_yoi_value() {
  value=
  case "$1" in
${values.join("\n")}
  esac
}`;
}
