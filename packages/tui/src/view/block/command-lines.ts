/** How a command of the user looks: what it was, what it writes, and what the model is told of it. */
import type { Block } from "../../session/block.ts";
import type { Line } from "../line.ts";
import { type BlockOptions, rowsIn, tailRowsMax } from "./block-options.ts";
import { firstRows, lastRows } from "./bounded-rows.ts";
import { moreSign, row, textColumns } from "./gutter.ts";

type Command = Extract<Block, { readonly kind: "command" }>;

const headRowsMax = 3;

export function commandLines(block: Command, options: BlockOptions): Line[] {
  const { columns, theme } = options;
  const style = { running: theme.accent, done: theme.good, failed: theme.bad, unknown: theme.warn }[
    block.progress
  ];
  const width = textColumns(columns);
  const head = firstRows(block.command, {
    columns: width,
    rowsMax: rowsIn(options, headRowsMax),
    of: "the command",
  });
  const { end, text } =
    options.isExpanded && block.output !== "" ? { end: "", text: block.output } : toldOf(block);
  const tail =
    text.trim() === ""
      ? []
      : lastRows(text, { columns: width, rowsMax: rowsIn(options, tailRowsMax), of: "its output" });
  const ended = end === "" ? [] : firstRows(end, { columns: width, rowsMax: 1 });
  const ending = block.progress === "done" ? theme.dim : style;
  return [
    ...head.map((shown, at) => row(at === 0 ? "$" : moreSign, theme.user(shown), { columns, style })),
    ...tail.map((shown) => row(moreSign, theme.dim(shown), { columns, style })),
    ...ended.map((shown) => row(moreSign, ending(shown), { columns, style })),
  ];
}

/** What the model is told begins with the command, which stands in the head already. */
function toldOf({ command, output, progress }: Command): { readonly end: string; readonly text: string } {
  if (progress === "running") return { end: "", text: output };
  if (output === "") return { end: "what came of it is not known yet: its process died", text: "" };
  const begin = `The user ran this command in the workspace:\n${command}\nIt ended: `;
  if (!output.startsWith(begin)) return { end: "", text: output };
  const [end = "", ...rest] = output.slice(begin.length).split("\n");
  return { end: end.replace(/\.$/, ""), text: rest.slice(1).join("\n") };
}
