/** blockLines: how a block looks. Every row begins with the sign of its kind, and holds nothing of others' texts that a terminal would take for more than text. */
import { flattenInput } from "@yoi/base";
import type { Block } from "../../session/block.ts";
import type { Line } from "../line.ts";
import { markdownLines } from "../markdown.ts";
import { safeLine } from "../safe.ts";
import { wrap } from "../width.ts";
import { type BlockOptions, expandedRowsMax, picturesText, rowsIn } from "./block-options.ts";
import { firstRows, linesOf } from "./bounded-rows.ts";
import { callLines } from "./call-lines.ts";
import { commandLines } from "./command-lines.ts";
import { moreSign, row, textColumns } from "./gutter.ts";

type Of<K extends Block["kind"]> = Extract<Block, { readonly kind: K }>;

const inputRowsMax = 12;
const noteRowsMax = 3;
/** Of one answer: more than anybody reads in a terminal. */
export const answerRowsMax = expandedRowsMax;

export function blockLines(block: Block, options: BlockOptions): readonly Line[] {
  switch (block.kind) {
    case "input":
      return inputLines(block, options);
    case "answer":
      return answerLines(block, options);
    case "reasoning":
      return reasoningLines(block, options);
    case "call":
      return callLines(block, options);
    case "system":
      return systemLines(block, options);
    case "command":
      return commandLines(block, options);
    case "note":
      return noteLines(block, options);
  }
}

function inputLines({ parts }: Of<"input">, options: BlockOptions): Line[] {
  const { columns, theme } = options;
  const rows = firstRows(flattenInput(parts), {
    columns: textColumns(columns),
    rowsMax: rowsIn(options, inputRowsMax),
  });
  return rows.map((text) => row(">", theme.user(text), { columns, style: theme.user }));
}

/** In front of what the model says stands a space: a text that is copied has no sign in it. */
function answerLines({ text, progress }: Of<"answer">, { columns, theme }: BlockOptions): Line[] {
  const said =
    text.trim() === ""
      ? []
      : markdownLines(text, { columns: textColumns(columns), theme }, progress === "arriving");
  const shown = said.slice(0, answerRowsMax);
  const lines = shown.map((line) => row(" ", line, { columns, style: (sign) => sign }));
  if (said.length > shown.length) {
    const more = `… ${linesOf(text.trim())} lines in all: /export writes them into a file`;
    lines.push(row("-", theme.dim(more), { columns, style: theme.dim }));
  }
  if (progress !== "cut") return lines;
  return [...lines, row("-", theme.warn("the answer broke off here"), { columns, style: theme.warn })];
}

function reasoningLines({ text, progress }: Of<"reasoning">, options: BlockOptions): Line[] {
  const { columns, theme, isExpanded } = options;
  const at = (shown: string): Line => row("~", theme.dim(shown), { columns, style: theme.dim });
  if (isExpanded && text.trim() !== "")
    return firstRows(text, { columns: textColumns(columns), rowsMax: expandedRowsMax }).map(at);
  if (progress === "arriving") {
    const last = lastLine(text);
    return [at(last === "" ? "thinking" : `thinking: ${safeLine(last)}`)];
  }
  const lines = linesOf(text.trim());
  const howLong = `thought, ${lines} ${lines === 1 ? "line" : "lines"}`;
  return [at(progress === "cut" ? `${howLong}; it broke off` : howLong)];
}

function systemLines(block: Of<"system">, options: BlockOptions): Line[] {
  const { columns, theme, isExpanded } = options;
  const { item, source, title, reason, body, images } = block;
  const why = reason === null ? "" : ` (${safeLine(reason)})`;
  const pictures = images === 0 ? "" : `, ${picturesText(images)}`;
  const what =
    title === undefined ? `${theme.accent(safeLine(item))} from ${safeLine(source)}` : safeLine(title);
  const head = `${what}${why}${pictures}`;
  const style = theme.accent;
  if (!isExpanded && title !== undefined) return [row("#", theme.dim(what), { columns, style: theme.dim })];
  if (!isExpanded) {
    const lines = linesOf(body.trim());
    const more = lines === 1 ? "" : `, ${lines} lines`;
    return [row("#", `${head}${more}: ${theme.dim(safeLine(firstLine(body)))}`, { columns, style })];
  }
  const rows = firstRows(body, { columns: textColumns(columns), rowsMax: expandedRowsMax });
  return [
    ...wrap(head, textColumns(columns)).map((text, at) =>
      row(at === 0 ? "#" : moreSign, text, { columns, style }),
    ),
    ...rows.map((text) => row(moreSign, theme.dim(text), { columns, style })),
  ];
}

function noteLines({ level, text }: Of<"note">, options: BlockOptions): Line[] {
  const { columns, theme } = options;
  const style = { info: theme.dim, warn: theme.warn, error: theme.bad }[level];
  const sign = level === "info" ? "-" : "!";
  const rows = firstRows(safeLine(text), {
    columns: textColumns(columns),
    rowsMax: rowsIn(options, noteRowsMax),
  });
  return rows.map((shown) => row(sign, style(shown), { columns, style }));
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

function lastLine(text: string): string {
  const said = text.trimEnd();
  return said.slice(said.lastIndexOf("\n") + 1).trim();
}
