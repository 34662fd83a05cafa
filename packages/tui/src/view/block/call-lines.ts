/** How a call looks: the tool and what it is about, what it writes while it runs, and what came of it. */
import type { Block, CallProgress } from "../../session/block.ts";
import { diffLines } from "../diff.ts";
import type { Line } from "../line.ts";
import { safeLine } from "../safe.ts";
import type { Theme } from "../theme.ts";
import { truncate, widthOf } from "../width.ts";
import { type BlockOptions, expandedRowsMax, picturesText, rowsIn, tailRowsMax } from "./block-options.ts";
import { firstRows, lastRows } from "./bounded-rows.ts";
import { moreSign, row, textColumns } from "./gutter.ts";
import { argumentRows, tellingArgument } from "./telling-argument.ts";

type Call = Extract<Block, { readonly kind: "call" }>;

/** Of the command of a shell. */
const headRowsMax = 3;
const diffRowsMax = 20;
const summaryRowsMax = 4;
const toolColumnsMax = 40;

export function callLines(call: Call, options: BlockOptions): Line[] {
  const { columns, theme } = options;
  const sign = signOf(call);
  const style = styleOf(sign, theme);
  const head = headRows(call, options).map((text, at) =>
    row(at === 0 ? sign : moreSign, text, { columns, style }),
  );
  return [...head, ...bodyRows(call, options).map((text) => row(moreSign, text, { columns, style }))];
}

const signs: Readonly<Record<CallProgress, string>> = {
  writing: "*",
  waiting: "*",
  asked: "?",
  running: "*",
  done: "✓",
  failed: "✗",
  refused: "✗",
  unknown: "?",
};

function signOf(call: Call): string {
  return call.progress === "done" && endingOf(call).isBad ? signs.failed : signs[call.progress];
}

function styleOf(sign: string, theme: Theme) {
  switch (sign) {
    case signs.done:
      return theme.good;
    case signs.failed:
      return theme.bad;
    case signs.asked:
      return theme.warn;
    default:
      return theme.accent;
  }
}

function headRows(call: Call, options: BlockOptions): readonly Line[] {
  const { columns, theme } = options;
  const width = textColumns(columns);
  const tool = theme.strong(truncate(safeLine(call.tool === "" ? "a call" : call.tool), toolColumnsMax));
  const { text: ending, isWhole } = endingOf(call);
  const about = isWhole ? ending : tellingArgument(call.tool, call.arguments);
  const words = progressWords(call.progress);
  const pictures = call.images === 0 ? [] : [picturesText(call.images)];
  const behind = [words, ...pictures, ...resultWords(call, options)]
    .filter((word) => word !== "")
    .map((word) => ` · ${word}`)
    .join("");
  const room = Math.max(1, width - widthOf(tool) - 1);
  // What waits is asked in full below: here a row tells which call it is, also where the rest has no room.
  const isShort = call.tool !== "Bash" || (call.progress === "asked" && !options.isExpanded);
  const rowsMax = isShort ? 1 : rowsIn(options, headRowsMax);
  const shown =
    rowsMax === 1
      ? [truncate(safeLine(about), Math.max(1, room - widthOf(behind)))]
      : firstRows(about, { columns: room, rowsMax, of: "the command" });
  const [first = "", ...more] = shown;
  const rows = [first === "" ? tool : `${tool} ${first}`, ...more];
  if (behind === "") return rows;
  const last = rows.at(-1) ?? "";
  const style = call.progress === "asked" || call.progress === "unknown" ? theme.warn : theme.dim;
  return widthOf(last) + widthOf(behind) <= width
    ? [...rows.slice(0, -1), last + style(behind)]
    : [...rows, style(behind.trimStart())];
}

const resultColumnsMax = 48;

/** What came of a call that went well and has no output of its own to show, in short: all of it is in the transcript. */
function resultWords(call: Call, { isExpanded }: BlockOptions): readonly string[] {
  const { text, isWhole, isBad } = endingOf(call);
  if (
    isExpanded ||
    isWhole ||
    isBad ||
    call.progress !== "done" ||
    call.tool === "Bash" ||
    call.diff !== null
  )
    return [];
  const [first = "", ...more] = text.trim().split("\n");
  return first === "" ? [] : [truncate(safeLine(first) + (more.length === 0 ? "" : " …"), resultColumnsMax)];
}

function progressWords(progress: CallProgress): string {
  switch (progress) {
    case "writing":
      return "being written";
    case "waiting":
      return "waits";
    case "asked":
      return "waits for your answer";
    case "refused":
      return "did not run";
    case "unknown":
      return "what came of it is not known";
    case "running":
    case "done":
    case "failed":
      return "";
  }
}

function bodyRows(call: Call, options: BlockOptions): readonly Line[] {
  const { theme, isExpanded, columns } = options;
  const width = textColumns(columns);
  const args = isExpanded && call.tool !== "Bash" ? argumentRows(call.arguments, width).map(theme.dim) : [];
  return [...args, ...(call.summary === null ? tailOf(call, options) : resultRows(call, options))];
}

/** What it writes now. */
function tailOf({ output }: Call, options: BlockOptions): readonly Line[] {
  if (output.trim() === "") return [];
  const columns = textColumns(options.columns);
  const rowsMax = rowsIn(options, tailRowsMax);
  return lastRows(overwritten(output), { columns, rowsMax, of: "its output" }).map(options.theme.dim);
}

function resultRows(call: Call, options: BlockOptions): readonly Line[] {
  const { theme, isExpanded } = options;
  const columns = textColumns(options.columns);
  const { text: ending, isWhole, isBad } = endingOf(call);
  const isOff = isBad || call.progress === "failed" || call.progress === "refused";
  const said =
    ending === "" || isWhole || (call.progress === "unknown" && !isExpanded)
      ? []
      : firstRows(ending, { columns, rowsMax: rowsIn(options, summaryRowsMax) }).map(
          isOff ? theme.bad : theme.dim,
        );
  if (call.diff !== null) {
    const diff = diffLines(call.diff, { columns, theme, rowsMax: rowsIn(options, diffRowsMax) });
    return isExpanded ? [...said, ...diff] : diff;
  }
  const content = call.content ?? "";
  if (!isExpanded && !isOff && call.tool !== "Bash") return [];
  if (content.trim() === "") return said;
  if (isExpanded)
    return [...said, ...firstRows(content, { columns, rowsMax: expandedRowsMax }).map(theme.dim)];
  const isShown = call.tool === "Bash" || call.progress === "failed";
  return isShown
    ? [...lastRows(content, { columns, rowsMax: tailRowsMax, of: "its output" }).map(theme.dim), ...said]
    : said;
}

interface Ending {
  /** What its summary says that is not said in its head. */
  readonly text: string;
  /** It says what the call is about too, so that it stands in its place. */
  readonly isWhole: boolean;
  /** A command that ran, and failed. */
  readonly isBad: boolean;
}

/** Characters of the first line of a command that its summary repeats. */
const repeatedCharsMax = 80;

/** The summaries of yoi's own tools repeat what the head of the block says. */
function endingOf({ tool, summary, arguments: args, progress }: Call): Ending {
  if (summary === null) return { text: "", isWhole: false, isBad: false };
  if (tool === "Bash" && progress === "done") {
    const [first = ""] = tellingArgument(tool, args).trim().split("\n");
    for (const repeated of [`$ ${first.slice(0, repeatedCharsMax)}...`, `$ ${first}`]) {
      if (!summary.startsWith(repeated)) continue;
      const text = summary.slice(repeated.length).trim();
      const isFine = text === "" || text === "(no output)";
      return { text: text.replace(/^\((.*)\)$/s, "$1"), isWhole: false, isBad: !isFine };
    }
  }
  if (progress === "done" && summary.startsWith(`${tool} `) && !summary.includes("\n"))
    return { text: summary.slice(tool.length + 1), isWhole: true, isBad: false };
  return { text: summary, isWhole: false, isBad: false };
}

/** What a line shows that was written over, as progress bars are: what stands behind its last carriage return. */
function overwritten(output: string): string {
  if (!output.includes("\r")) return output;
  return output
    .split("\n")
    .map((line) => {
      let end = line.length;
      while (line[end - 1] === "\r") end -= 1;
      return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
    })
    .join("\n");
}
