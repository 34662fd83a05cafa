/** What the scripts for bash and zsh have in common: quoting, and the table of what each flag takes. */
import type { CommandShape, Values } from "./shape.ts";

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** One word that the script takes apart again; empty: nothing can stand there. */
export function wordOf(values: Values | null): string {
  if (values === null) return "";
  return values.kind === "choices" ? `choices:${values.choices.join(" ")}` : values.kind;
}

/** The branches of `case "$path $flag"` that set `value`. */
export function valueCases(shapes: readonly CommandShape[]): string {
  const cases = shapes.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === null
        ? []
        : [
            `    ${names.map((name) => quote(`${path} ${name}`)).join("|")}) value=${quote(wordOf(value))} ;;`,
          ],
    ),
  );
  return cases.join("\n");
}
