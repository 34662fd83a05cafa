/** The tables of docs/terminal.md, made of the keys and commands that there are. `node scripts/terminal-tables.ts` writes them into it. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commandGroups, commandSpecs } from "../packages/tui/src/commands/table.ts";
import { type Action, actions, actionSpecs } from "../packages/tui/src/keys/actions.ts";
import { keyMapOf, keysOf } from "../packages/tui/src/keys/key-map.ts";
import { commandTitles, keyGroups } from "../packages/tui/src/view/help.ts";

export const page = fileURLToPath(new URL("../docs/terminal.md", import.meta.url));

/** By the marks that they stand between. */
export function tables(): ReadonlyMap<string, string> {
  return new Map([
    ["keys", keyTables()],
    ["commands", commandTables()],
  ]);
}

/** The page with each table as it has to be. Throws where a mark is missing. */
export function withTables(text: string): string {
  let whole = text;
  for (const [name, table] of tables()) {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const from = whole.indexOf(begin);
    const to = whole.indexOf(end);
    if (from === -1 || to < from) throw new Error(`docs/terminal.md has no ${begin} before ${end}.`);
    whole = `${whole.slice(0, from + begin.length)}\n\n${table}\n${whole.slice(to)}`;
  }
  return whole;
}

function keyTables(): string {
  const { map } = keyMapOf({});
  const grouped = new Set(keyGroups.flatMap((group) => group.actions));
  const groups = [
    ...keyGroups,
    {
      title: "In lists, completions and searches besides",
      actions: actions.filter((action) => !grouped.has(action)),
    },
  ];
  const row = (action: Action) => [
    keysOf(map, action)
      .map((key) => `\`${key}\``)
      .join(", "),
    cell(actionSpecs[action].help),
    `\`${action}\``,
  ];
  return groups
    .map((group) => `### ${group.title}\n\n${table(["keys", "what", "action"], group.actions.map(row))}`)
    .join("\n");
}

function commandTables(): string {
  return commandGroups
    .map((group) => {
      const rows = commandSpecs
        .filter((spec) => spec.group === group)
        .map(({ name, argument, aliases = [], help }) => [
          `\`/${name}${argument === undefined ? "" : ` ${cell(argument)}`}\``,
          cell(help),
          aliases.map((alias) => `\`/${alias}\``).join(", "),
        ]);
      return `### ${commandTitles[group]}\n\n${table(["command", "what", "also"], rows)}`;
    })
    .join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  return line(titles) + line(titles.map(() => "---")) + rows.map(line).join("");
}

if (import.meta.main) writeFileSync(page, withTables(readFileSync(page, "utf8")));
