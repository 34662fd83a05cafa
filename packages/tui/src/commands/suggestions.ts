/** What a command that is being typed may become. */
import type { SkillOffer } from "@yoi/protocol";
import type { Suggestion } from "../composer/suggestion.ts";
import { commandNamed, commandSpecs } from "./table.ts";

/**
 * Names that begin so come first, then those that are called so otherwise, then those that hold it; of each kind, commands before skills.
 * @param prefix what is typed behind the sign.
 */
export function commandSuggestions(
  prefix: string,
  sign = "/",
  skills: readonly SkillOffer[] = [],
): readonly Suggestion[] {
  const wanted = prefix.toLowerCase();
  const commands = commandSpecs.map(({ name, aliases = [], argument, help }) => ({
    rank: rankOf(wanted, name, aliases),
    suggestion: {
      insert: sign + name,
      label: argument === undefined ? sign + name : `${sign}${name} ${argument}`,
      detail: help,
      goesOn: argument !== undefined,
    },
  }));
  const loads = skills.map(({ name, description }) => ({
    rank: rankOf(wanted, name, []),
    suggestion: {
      insert: sign + (commandNamed(name) === null ? name : `skill ${name}`),
      label: sign + name,
      detail: `skill: ${description}`,
      goesOn: true,
    },
  }));
  return [...commands, ...loads]
    .flatMap(({ rank, suggestion }) => (rank === null ? [] : [{ rank, suggestion }]))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ suggestion }) => suggestion);
}

function rankOf(wanted: string, name: string, aliases: readonly string[]): number | null {
  if (name.startsWith(wanted)) return 0;
  if (aliases.some((alias) => alias.startsWith(wanted))) return 1;
  return name.includes(wanted) ? 2 : null;
}
