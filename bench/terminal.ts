/** What the terminal costs: drawing while an answer streams, in this process, into a terminal that takes everything; and the real program. */
import { MainScreen } from "../packages/tui/src/terminal/main-screen.ts";
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

export interface TerminalResults {
  readonly updates: number;
  readonly rows: number;
  /** Of the processor, for all updates: the answer that arrives read as Markdown, its last rows painted. */
  readonly streamMs: Summary;
  /** Written to the terminal for one update in which one row changes. */
  readonly rowBytes: number;
  readonly program: TerminalProgramResults | null;
}

const size = { columns: 100, rows: 60 };
const words = "The **Pod** keeps `what` it did in a log that [nobody](https://example.com) rewrites, ";
const code =
  "\n\n```ts\nexport const answer: number = 42; // of a kind\nfunction f() { return `x${answer}`; }\n```\n\n";

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
