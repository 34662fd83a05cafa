/** What the terminal costs: drawing while an answer streams, in this process, into a terminal that takes everything; and the real program. */
import { MainScreen } from "../packages/tui/src/terminal/main-screen.ts";
import { blockLines } from "../packages/tui/src/view/block/block-lines.ts";
import { loadHighlighter } from "../packages/tui/src/view/highlight.ts";
import { closedChars, markdownLines } from "../packages/tui/src/view/markdown.ts";
import { themeNamed } from "../packages/tui/src/view/themes.ts";
import { summary, type Summary } from "./summary.ts";
import {
  measureTerminalProgram,
  type TerminalProgramOptions,
  type TerminalProgramResults,
} from "./terminal-program.ts";

export interface TerminalOptions {
  readonly updates: number;
  readonly rows: number;
  readonly runs: number;
  /** Null: only what is measured in this process. */
  readonly program: TerminalProgramOptions | null;
}

export const openShapes = ["fence", "table", "list"] as const;
export type OpenShape = (typeof openShapes)[number];

export interface TerminalResults {
  readonly updates: number;
  readonly rows: number;
  /** Of the processor, for all updates: the answer that arrives read as Markdown, its last rows painted. */
  readonly streamMs: Summary;
  /** The same for a block that does not end: all its last rows are in the live region. */
  readonly openMs: Readonly<Record<OpenShape, Summary>>;
  /** Written to the terminal for one update in which one row changes. */
  readonly rowBytes: number;
  readonly program: TerminalProgramResults | null;
}

const size = { columns: 100, rows: 60 };
const words = "The **Pod** keeps `what` it did in a log that [nobody](https://example.com) rewrites, ";
const code =
  "\n\n```ts\nexport const answer: number = 42; // of a kind\nfunction f() { return `x${answer}`; }\n```\n\n";

const openTexts: Readonly<Record<OpenShape, { readonly head: string; readonly row: string }>> = {
  fence: { head: "```ts\n", row: "const answer = f(1); // of a kind\n" },
  table: { head: "| name | what |\n|---|---|\n", row: "| one | `two` |\n" },
  list: { head: "", row: "- an item of **words**\n" },
};

/** So many updates of a block that goes on, a row every ten of them, as the answer that it is part of is drawn. */
function openMs(shape: OpenShape, updates: number, rows: number): number {
  const { head, row } = openTexts[shape];
  const screen = new MainScreen(() => {}, size);
  const options = { columns: size.columns, theme: themeNamed("dark"), isExpanded: false };
  const start = process.cpuUsage();
  for (let update = 0; update < updates; update += 1) {
    const text = `${head}${row.repeat(Math.floor(update / 10))}${row.slice(0, update % 10)}`;
    const answer = { kind: "answer", id: "a", n: 1, isFinished: false, text, progress: "arriving" } as const;
    screen.paint({ print: [], live: blockLines(answer, options).slice(-rows), cursor: null });
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** An answer of paragraphs, lists and code, as long as it is after so many updates. */
function answerAt(update: number): string {
  const paragraph = (n: number) =>
    n % 5 === 4 ? code : `${words.repeat(3)}\n${n % 3 === 0 ? "- an item\n- another\n" : ""}\n`;
  const whole = Array.from({ length: Math.floor(update / 8) }, (_, n) => paragraph(n)).join("");
  return whole + words.repeat(4).slice(0, (update % 8) * 40);
}

export async function measureTerminal({
  updates,
  rows,
  runs,
  program,
}: TerminalOptions): Promise<TerminalResults> {
  await loadHighlighter();
  const taken: number[] = [];
  for (let run = 0; run < runs; run += 1) taken.push(streamMs(updates, rows));
  return {
    updates,
    rows,
    streamMs: summary(taken),
    openMs: {
      fence: summary(Array.from({ length: runs }, () => openMs("fence", updates, rows))),
      table: summary(Array.from({ length: runs }, () => openMs("table", updates, rows))),
      list: summary(Array.from({ length: runs }, () => openMs("list", updates, rows))),
    },
    rowBytes: rowBytes(rows),
    program: program === null ? null : await measureTerminalProgram(program),
  };
}

function streamMs(updates: number, rows: number): number {
  const texts = Array.from({ length: updates }, (_, update) => answerAt(update));
  const options = { columns: size.columns, theme: { ...themeNamed("dark") } };
  const screen = new MainScreen(() => {}, size);
  let printed = 0;
  const start = process.cpuUsage();
  for (const text of texts) {
    const closed = closedChars(text);
    const print = closed > printed ? markdownLines(text.slice(printed, closed), options) : [];
    printed = Math.max(printed, closed);
    const live = markdownLines(text.slice(printed), options).slice(-rows);
    const status = Array.from({ length: rows - live.length }, (_, row) => `status ${row} ${text.length}`);
    screen.paint({ print, live: [...live, ...status], cursor: { row: 0, column: 0 } });
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function rowBytes(rows: number): number {
  let bytes = 0;
  const screen = new MainScreen((text) => (bytes += Buffer.byteLength(text)), size);
  const live = Array.from({ length: rows }, (_, row) => `row ${row} ${"x".repeat(size.columns - 20)}`);
  screen.paint({ print: [], live, cursor: null });
  bytes = 0;
  screen.paint({
    print: [],
    live: live.with(Math.floor(rows / 2), `row ${"y".repeat(size.columns - 20)}`),
    cursor: null,
  });
  return bytes;
}
