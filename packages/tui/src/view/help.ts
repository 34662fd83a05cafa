/** The help: keys as they are bound now, what a line may begin with, and the commands. */
import { type Action, actionSpecs } from "../keys/actions.ts";
import { type KeyMap, keysOf } from "../keys/key-map.ts";
import { type CommandGroup, type CommandSpec, commandGroups } from "../commands/table.ts";
import type { Line } from "./line.ts";
import type { ViewOptions } from "./theme.ts";
import { pad, truncate, widthOf, wrap } from "./width.ts";

interface HelpRow {
  readonly name: string;
  readonly help: string;
}

export const keyGroups: readonly { readonly title: string; readonly actions: readonly Action[] }[] = [
  {
    title: "Sending",
    actions: [
      "submit",
      "submit_after_run",
      "newline",
      "queue_edit",
      "interrupt",
      "cancel",
      "rewind",
      "editor",
    ],
  },
  {
    title: "Looking",
    actions: ["help", "transcript", "verbose", "tasks", "redraw", "approvals", "permission_mode"],
  },
  { title: "Pods", actions: ["pods", "tree", "next_needy_pod", "background", "leave", "suspend"] },
  {
    title: "Writing",
    actions: [
      "complete",
      "history_search",
      "up",
      "down",
      "history_previous",
      "history_next",
      "left",
      "right",
      "word_left",
      "word_right",
      "line_start",
      "line_end",
      "text_start",
      "text_end",
      "delete_left",
      "delete_right",
      "kill_word_left",
      "kill_word_right",
      "kill_line_left",
      "kill_line_right",
      "yank",
      "yank_older",
      "undo",
      "redo",
    ],
  },
  {
    title: "Calls that wait for you",
    actions: ["choice_take", "choice_page_up", "choice_page_down", "choice_close"],
  },
  {
    title: "Lists",
    actions: ["list_up", "list_down", "list_choose", "list_actions", "list_close"],
  },
  {
    title: "Pages",
    actions: [
      "pager_up",
      "pager_down",
      "pager_page_up",
      "pager_page_down",
      "pager_top",
      "pager_bottom",
      "pager_search",
      "pager_next",
      "pager_previous",
      "pager_close",
    ],
  },
];

const prefixes: readonly HelpRow[] = [
  { name: "@path", help: "Attach a file, an image, or the names in a directory." },
  {
    name: "!command",
    help: "Run a command in the Pod's scope and sandbox; the model reads what came of it.",
  },
  { name: "#note", help: "Tell the model something by the way." },
  { name: "/command", help: "A command of the terminal, as below; so does :command." },
  { name: "/skill-name", help: "A prompt that loads that skill; /skills shows them." },
  { name: "\\ at the end", help: "Enter makes a new line of it." },
  { name: "a space first", help: "Makes a prompt of whatever follows." },
];

export const commandTitles: Readonly<Record<CommandGroup, string>> = {
  conversation: "Commands: the conversation",
  run: "Commands: the run",
  pods: "Commands: Pods",
  approvals: "Commands: what is allowed",
  shows: "Commands: what is shown",
  terminal: "Commands: the terminal",
};

/** What has no key is left out. */
export function helpLines(
  map: KeyMap,
  commands: readonly CommandSpec[],
  options: ViewOptions,
): readonly Line[] {
  return [
    ...keyLines(map, options),
    ...section("A line may begin with", prefixes, options),
    ...commandGroups.flatMap((group) =>
      section(commandTitles[group], commands.filter((spec) => spec.group === group).map(commandRow), options),
    ),
  ];
}

/** What the keys do in a word or three, for those who write. In the order in which they stand, by columns. */
const shortHelp: readonly (readonly [action: Action, does: string])[] = [
  ["submit", "send"],
  ["newline", "new line"],
  ["submit_after_run", "send after the run"],
  ["queue_edit", "take back what waits"],
  ["interrupt", "stop the run"],
  ["rewind", "go back"],
  ["complete", "complete"],
  ["history_search", "search the history"],
  ["editor", "your editor"],
  ["transcript", "read it as pages"],
  ["verbose", "unfold"],
  ["tasks", "panels"],
  ["pods", "all Pods"],
  ["tree", "tree of Pods"],
  ["next_needy_pod", "next Pod that waits"],
  ["approvals", "calls that wait"],
  ["permission_mode", "what is asked about"],
  ["leave", "leave; it goes on"],
  ["help", "keys and commands"],
];
const cellColumnsMin = 33;
const cellGap = 2;
const shortPrefixes = "@ file   ! shell command   # note to the model   / command";

/** The keys that matter most, as a table that leaves the conversation in sight. At most so many rows: what has no room is left out at the end. */
export function shortHelpLines(
  map: KeyMap,
  rowsMax: number,
  { columns, theme }: ViewOptions,
): readonly Line[] {
  const cells = shortHelp.flatMap(([action, does]) => {
    const [key] = keysOf(map, action).toSorted((a, b) => a.length - b.length);
    return key === undefined ? [] : [{ key, does }];
  });
  const across = Math.max(1, Math.floor(columns / cellColumnsMin));
  const down = Math.ceil(cells.length / across);
  const width = Math.floor(columns / across);
  const tables = Array.from({ length: across }, (_, column) => {
    const own = cells.slice(column * down, (column + 1) * down);
    const keys = Math.min(Math.floor(width / 2), Math.max(0, ...own.map(({ key }) => widthOf(key))));
    const does = Math.max(1, width - keys - 1 - cellGap);
    return own.map(
      (cell) =>
        `${theme.accent(pad(truncate(cell.key, keys), keys))} ${theme.dim(pad(truncate(cell.does, does), does + cellGap))}`,
    );
  });
  const rows = Array.from({ length: down }, (_, row) => tables.map((table) => table[row] ?? "").join(""));
  return [...rows, theme.dim(truncate(shortPrefixes, columns))]
    .slice(0, Math.max(0, rowsMax))
    .map((row) => truncate(row, columns));
}

/** Of one action: the others are names that terminals have for the same keys. */
const keysShownMax = 3;

/** The keys alone. */
function keyLines(map: KeyMap, options: ViewOptions): readonly Line[] {
  return keyGroups.flatMap(({ title, actions }) => {
    const rows = actions.flatMap((action): readonly HelpRow[] => {
      const keys = keysOf(map, action);
      return keys.length === 0
        ? []
        : [{ name: keys.slice(0, keysShownMax).join(", "), help: actionSpecs[action].help }];
    });
    return section(title, rows, options);
  });
}

function commandRow({ name, aliases = [], argument, help }: CommandSpec): HelpRow {
  const also = aliases.length === 0 ? "" : ` Also ${aliases.map((alias) => `/${alias}`).join(", ")}.`;
  return { name: argument === undefined ? `/${name}` : `/${name} ${argument}`, help: help + also };
}

const nameColumnsMax = 28;

function section(title: string, rows: readonly HelpRow[], { columns, theme }: ViewOptions): readonly Line[] {
  if (rows.length === 0) return [];
  const longest = rows.reduce((most, { name }) => Math.max(most, widthOf(name)), 0);
  const names = Math.min(longest, nameColumnsMax, Math.floor(columns / 2));
  const lines = rows.flatMap(({ name, help }) => {
    const left = wrap(name, names);
    const right = wrap(help, Math.max(1, columns - names - 4));
    return Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
      `  ${theme.accent(pad(left[at] ?? "", names))}  ${right[at] ?? ""}`.trimEnd(),
    );
  });
  return [theme.heading(truncate(title, columns)), ...lines, ""];
}
