/** Printed: how far the conversation was written into the terminal's own scrollback, and what goes there next. Each finished block goes there once, in order. */
import type { Look } from "../app/look.ts";
import type { Block } from "../session/block.ts";
import type { PodSession } from "../session/session.ts";
import type { Line, ScreenSize } from "./line.ts";
import { closedChars } from "./markdown.ts";
import { safeLine } from "./safe.ts";
import { truncate } from "./width.ts";

type Answer = Extract<Block, { readonly kind: "answer" }>;

export interface Printed {
  /** Which viewing of which Pod; 0: nothing was printed. */
  readonly viewing: number;
  /** The blocks before it were printed, but for `passed`. */
  readonly next: number;
  /** Commands of the user that went on when what came behind them was printed: each follows when it ends. */
  readonly passed: readonly number[];
  /** Of the block `next`: the beginning that was printed while it arrived. */
  readonly part: { readonly id: string; readonly text: string } | null;
  readonly lastKind: Block["kind"] | null;
}

export const nothingPrinted: Printed = { viewing: 0, next: 0, passed: [], part: null, lastKind: null };

export interface Printing {
  readonly printed: Printed;
  readonly lines: readonly Line[];
  /** What is to be seen below, oldest first: blocks that are not finished, and those behind them. */
  readonly live: readonly Block[];
}

export interface PrintOptions {
  readonly look: Look;
  readonly size: ScreenSize;
  readonly isVerbose: boolean;
  /** Rows for what is not printed. */
  readonly room: number;
  /** Says which Pod it is, above its tail. */
  readonly header: readonly Line[];
  /** What shows the whole conversation. */
  readonly pastKey: string;
  readonly viewing: number;
}

/** How much of the past is written when a Pod is opened. */
const tailScreens = 2;

export function print(printed: Printed, session: PodSession, options: PrintOptions): Printing {
  if (printed.viewing === options.viewing) return goOn(printed, session, options);
  if (session.link === "connecting" || session.link === "catching_up")
    return { printed, lines: [], live: [] };
  const next = tailStart(session.blocks, options);
  const begun = goOn({ ...nothingPrinted, viewing: options.viewing, next }, session, options);
  return { ...begun, lines: [...options.header, ...earlierLines(session, next, options), ...begun.lines] };
}

function goOn(printed: Printed, session: PodSession, options: PrintOptions): Printing {
  const writer = new Writer(printed, options);
  const live: Block[] = [];
  for (const block of unprinted(session.blocks, printed)) {
    if (block.n < printed.next) {
      if (block.isFinished) writer.passedEnded(block);
      else live.push(block);
    } else if (live.some(({ n }) => n >= printed.next && !writer.isPassed(n))) live.push(block);
    else if (block.isFinished) writer.whole(block);
    else {
      if (block.kind === "command") writer.pass(block.n);
      live.push(block);
    }
  }
  const rows = rowsOf(live, writer.printed.part, options);
  const first = live.find(({ n }) => n === writer.printed.next);
  const roomy = Math.min(options.room, Math.floor(options.size.rows / 2));
  if (rows > roomy && first?.kind === "answer") writer.flush(first);
  return {
    printed: writer.printed,
    lines: writer.lines,
    live: live.map((block) => restOf(block, writer.printed.part)),
  };
}

/** Those that were passed, and those from `next` on. */
function unprinted(blocks: readonly Block[], { next, passed }: Printed): readonly Block[] {
  const first = blocks[0]?.n ?? 0;
  const old = passed.flatMap((n) => blocks[n - first] ?? []);
  return [...old, ...blocks.slice(Math.max(0, next - first))];
}

/** What was printed of an answer that broke off goes on behind what is on record of it. */
function isAhead(part: NonNullable<Printed["part"]>, block: Block): block is Answer {
  if (block.kind !== "answer" || block.id !== part.id || block.progress !== "cut") return false;
  return part.text.length > block.text.length && part.text.startsWith(block.text);
}

/** Collects what is printed now. */
class Writer {
  readonly lines: Line[] = [];
  printed: Printed;
  readonly #options: PrintOptions;

  constructor(printed: Printed, options: PrintOptions) {
    this.printed = printed;
    this.#options = options;
  }

  isPassed(n: number): boolean {
    return this.printed.passed.includes(n);
  }

  pass(n: number): void {
    this.printed = { ...this.printed, next: n + 1, part: null, passed: [...this.printed.passed, n] };
  }

  passedEnded(block: Block): void {
    this.#write(block, true);
    this.printed = { ...this.printed, passed: this.printed.passed.filter((n) => n !== block.n) };
  }

  whole(block: Block): void {
    const { part } = this.printed;
    if (part !== null && isAhead(part, block)) return this.#endAhead(block, part.text);
    const isBegun = this.#isBegun(block);
    if (part !== null && !isBegun) this.#brokeOff(block, part.id);
    const rest = restOf(block, this.printed.part);
    if (!(isBegun && rest.kind === "answer" && rest.text.trim() === "")) this.#write(rest, !isBegun);
    this.printed = { ...this.printed, next: block.n + 1, part: null };
  }

  /**
   * The closed beginning of an answer that takes half the screen, so that it can be read from its start, and so that little of what is live is pushed into the history of
   * a terminal that becomes lower.
   */
  flush(block: Answer): void {
    const { part } = this.printed;
    if (part !== null && !this.#isBegun(block)) this.#brokeOff(block, part.id);
    const known = this.printed.part?.text ?? "";
    const chars = closedChars(block.text.slice(known.length));
    if (chars === 0) return;
    const text = block.text.slice(known.length, known.length + chars);
    this.#write({ ...block, text, progress: "whole" }, known === "");
    this.printed = { ...this.printed, part: { id: block.id, text: known + text } };
  }

  #isBegun(block: Block): boolean {
    const { part } = this.printed;
    return (
      part !== null && part.id === block.id && block.kind === "answer" && block.text.startsWith(part.text)
    );
  }

  /** @param block what comes in the place of what was printed as `id`. */
  #brokeOff(block: Block, id: string): void {
    // The process that wrote it died, and knew more of it than it had put on record.
    const isCut = block.id === id && block.kind === "answer" && block.progress === "cut";
    this.#say(
      isCut
        ? "- the answer above broke off: this is what is on record of it"
        : "- the answer above broke off, and is not on record: it begins again",
    );
    this.printed = { ...this.printed, part: null };
  }

  /** All that is on record of it stands above already. */
  #endAhead(block: Answer, text: string): void {
    const more = [...text.slice(block.text.length).trim()].length;
    if (more > 0) this.#say(`- the answer above broke off: its last ${more} characters are not on record`);
    this.printed = { ...this.printed, next: block.n + 1, part: null };
  }

  #say(text: string): void {
    const { look, size } = this.#options;
    this.lines.push(look.theme.warn(truncate(text, size.columns)));
  }

  #write(block: Block, isBeginning: boolean): void {
    const { look, size, isVerbose } = this.#options;
    if (isBeginning && hasGap(this.printed.lastKind, block.kind)) this.lines.push("");
    for (const line of look.linesOf(block, size.columns, isVerbose)) this.lines.push(line);
    this.printed = { ...this.printed, lastKind: block.kind };
  }
}

const rests = new WeakMap<Block, { readonly chars: number; readonly rest: Block }>();

/** What of a block was not printed. The same object for the same block, so that its rows are made once. */
function restOf(block: Block, part: Printed["part"]): Block {
  if (part === null || part.id !== block.id || block.kind !== "answer" || !block.text.startsWith(part.text))
    return block;
  const known = rests.get(block);
  if (known?.chars === part.text.length) return known.rest;
  const rest = { ...block, text: block.text.slice(part.text.length) };
  rests.set(block, { chars: part.text.length, rest });
  return rest;
}

function rowsOf(live: readonly Block[], part: Printed["part"], options: PrintOptions): number {
  const { look, size, isVerbose } = options;
  return live.reduce(
    (rows, block) => rows + look.linesOf(restOf(block, part), size.columns, isVerbose).length,
    0,
  );
}

/** The n of the first block of a tail that fills about `tailScreens` screens. */
function tailStart(blocks: readonly Block[], { look, size, isVerbose }: PrintOptions): number {
  let rows = 0;
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at];
    if (block === undefined) break;
    rows += look.linesOf(block, size.columns, isVerbose).length;
    if (rows >= tailScreens * size.rows) return block.n;
  }
  return blocks[0]?.n ?? 0;
}

const dense: ReadonlySet<Block["kind"]> = new Set(["call", "note", "reasoning", "system"]);

/** A blank row stands between blocks, but for those that come in swarms. */
export function hasGap(before: Block["kind"] | null, kind: Block["kind"]): boolean {
  return before !== null && !(dense.has(before) && dense.has(kind));
}

/** That the past is longer than what stands there. */
function earlierLines({ blocks, first }: PodSession, next: number, options: PrintOptions): readonly Line[] {
  const left = next - (blocks[0]?.n ?? next);
  const isMore = first !== null && first.seq > 0;
  if (left === 0 && !isMore) return [];
  const many = left === 1 ? "1 earlier block" : `${left} earlier blocks`;
  const text = left === 0 ? "what was before" : isMore ? `${many}, and what was before` : many;
  return [
    options.look.theme.dim(truncate(`- ${text}: ${options.pastKey} shows it all`, options.size.columns)),
  ];
}

/** A row that says where another Pod begins. */
export function headerLines(session: PodSession, look: Look, columns: number): readonly Line[] {
  const title = session.title === null ? "" : ` (${safeLine(session.title)})`;
  const about = session.about === null ? "" : `, in ${safeLine(session.about.workspace)}`;
  return ["", look.theme.accent(truncate(`== ${safeLine(session.name)}${title}${about}`, columns))];
}
