/** What a command that is being typed may become. */
import type { Suggestion } from "../composer/suggestion.ts";
import { commandSpecs } from "./table.ts";

/** @param prefix what is typed behind the sign. Names that begin so come first, then those that are called so otherwise, then those that hold it. */
export function commandSuggestions(prefix: string, sign = "/"): readonly Suggestion[] {
  const wanted = prefix.toLowerCase();
  const ranked = commandSpecs.flatMap((spec) => {
    const rank = rankOf(wanted, spec.name, spec.aliases ?? []);
    return rank === null ? [] : [{ spec, rank }];
  });
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ spec: { name, argument, help } }) => ({
      insert: sign + name,
      label: argument === undefined ? sign + name : `${sign}${name} ${argument}`,
      detail: help,
      goesOn: argument !== undefined,
    }));
}

function rankOf(wanted: string, name: string, aliases: readonly string[]): number | null {
  if (name.startsWith(wanted)) return 0;
  if (aliases.some((alias) => alias.startsWith(wanted))) return 1;
  return name.includes(wanted) ? 2 : null;
}
