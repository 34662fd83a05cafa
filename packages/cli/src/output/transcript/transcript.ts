/** Transcript: a Pod's stream as lines for a person. Text is shown as it arrives, and its record adds only what was not shown. */
import { type CallId, type Entry, flattenInput, isKnown, type LogEntry } from "@yoi/base";
import type { InFlight, Live, PodView, Rotation } from "@yoi/protocol";
import type { Screen } from "../../environment.ts";
import { alertText } from "../alert-text.ts";
import { Beside } from "./beside.ts";
import { CommandOutput } from "./command-output.ts";
import { EscapedText } from "./escaped-text.ts";
import {
  approvalBlock,
  type Block,
  block,
  blocksOfEntry,
  brokeOff,
  lineBlock,
  linesOf,
  type Seen,
  triggerText,
} from "./entry-blocks.ts";
import { fold } from "./fold.ts";

/** In front of what the model says. */
const indent = "  ";
/** Of a text that was shown and is not on record: as much as finds where its record ends. */
export const endChars = 40;

/** Text of an answer that was shown before it was on record. */
interface Streamed {
  readonly escaped: EscapedText;
  /** From its beginning on; null: a piece of it was missed. */
  shown: string | null;
  /** UTF-16 offset of what comes next. */
  end: number;
}

export interface TranscriptOptions {
  readonly write: (text: string) => void;
  /** What is written to, as it is now; null: no terminal. */
  readonly screen: () => Screen | null;
  /** Blocks of what was there before; null: all of them. */
  readonly tail: number | null;
}

export class Transcript {
  readonly #write: TranscriptOptions["write"];
  readonly #screen: TranscriptOptions["screen"];
  readonly #tail: number | null;
  /** What is on record so far, until it is known where the present begins; null: it is known. */
  #past: Block[] | null = [];
  readonly #streamed = new Map<string, Streamed>();
  /** The text whose line is open at its end. */
  #open: string | null = null;
  /** Of the open line: where its text goes on. */
  #column = 0;
  /** Newlines of the open text that are written when something follows. */
  #newlines = 0;
  readonly #calls = new Map<CallId, { readonly name: string; readonly arguments: string }>();
  /** Digests of the approvals that were shown, and whether they fitted on the screen. */
  readonly #shown = new Map<string, boolean>();
  /** What is carried on was shown before. */
  #cameAlong = false;
  /** What comes up to its `opened` is how a segment begins that history goes on in: no process began. */
  #isBeginning = false;
  #input: { readonly seq: number; readonly text: string; readonly waited: boolean } | null = null;
  readonly #beside = new Beside();
  readonly #commands = new CommandOutput();
  readonly #seen: Seen = {
    call: (id) => this.#calls.get(id) ?? null,
    inputSince: (seq) => (this.#input !== null && this.#input.seq > seq ? this.#input : null),
  };

  constructor({ write, screen, tail }: TranscriptOptions) {
    this.#write = write;
    this.#screen = screen;
    this.#tail = tail;
  }

  entry(entry: LogEntry): void {
    if (isKnown(entry)) {
      if (this.#isOfBeginning(entry)) return;
      if (entry.kind === "user_input") {
        const { seq, parts, delivers } = entry;
        this.#input = { seq, text: flattenInput(parts), waited: delivers !== undefined };
      }
      if (entry.kind === "assistant_item" && entry.item.type === "tool_call")
        this.#calls.set(entry.item.call, entry.item);
      if (entry.kind === "llm_request" || entry.kind === "run_completed" || entry.kind === "run_errored")
        this.#unrecorded();
      if (entry.kind === "assistant_item" && entry.item.type === "assistant_message") {
        const { text, status } = entry.item;
        if (this.#finishStreamed(keyOf(entry.request, entry.index), text)) {
          if (status === "incomplete") this.#put(brokeOff);
          return;
        }
      }
    }
    if (isKnown(entry) && entry.kind === "inbox_accepted" && entry.item.kind === "user_command")
      for (const block of this.#commands.ended(entry.item)) this.#put(block);
    for (const block of blocksOfEntry(entry, this.#seen)) this.#put(block);
    if (isKnown(entry) && entry.kind === "tool_result") this.#calls.delete(entry.item.call);
  }

  /** What comes is of another segment: what that carries on was shown, or was made of what was. */
  rotated({ why, from, segment }: Rotation): void {
    this.#streamed.clear();
    this.#calls.clear();
    this.#input = null;
    this.#cameAlong = true;
    if (why === "forked")
      this.#put(
        lineBlock("-", `goes on behind entry ${from.seq} of ${from.segment}, in the segment ${segment}`),
      );
  }

  /** What comes is of another log, or of the same one from its start. */
  restarted(): void {
    this.#cameAlong = false;
    this.#streamed.clear();
    this.#calls.clear();
    this.#shown.clear();
    this.#input = null;
    this.#put(lineBlock("-", "from the start of the log:"));
  }

  omitted(seq: number, kind: string): void {
    this.#put(lineBlock("!", `entry ${seq} (${kind}) is too large to be shown here: it is in the log`));
  }

  /** The present begins, at first or after a gap between connections. */
  snapshot(view: PodView): void {
    const { in_flight: inFlight, approvals } = view;
    if (this.#past !== null) {
      const past = this.#past;
      this.#past = null;
      for (const block of this.#tail === null
        ? past
        : past.slice(past.length - Math.min(past.length, this.#tail)))
        this.#put(block);
    }
    this.#commands.missed();
    for (const { command } of view.commands ?? []) this.#put(lineBlock("-", `! ${command} (running)`));
    for (const one of this.#beside.snapshot(view)) this.#put(one);
    this.#goOn(inFlight);
    for (const approval of approvals)
      if (!this.#shown.has(approval.digest)) this.#put(approvalBlock(approval));
  }

  /** Whether an approval was to be seen at once, with all that it allows. */
  isShownWhole(digest: string): boolean {
    return this.#shown.get(digest) === true;
  }

  live(live: Live): void {
    switch (live.type) {
      case "delta":
        if (live.block === "text") this.#stream(keyOf(live.request, live.index), live.text);
        return;
      case "retry":
        // The answer begins anew: what was shown of it is nobody's.
        this.#streamed.clear();
        return this.#put(
          lineBlock(
            "!",
            `${live.message} Trying again in ${(live.wait_ms / 1000).toFixed(1)} s (${live.attempt} of ${live.attempts_max}).`,
          ),
        );
      case "continuation":
        return this.#put(
          lineBlock(
            "!",
            `The answer broke off (${live.reason}); going on (${live.attempt} of ${live.attempts_max}).`,
          ),
        );
      case "alert":
        return this.#put(block("!", alertText(live)));
      case "compaction_begun":
        return this.#put(
          lineBlock("-", `compacting what is about ${live.tokens} tokens (${triggerText(live.trigger)})`),
        );
      case "run_failed":
        return this.#put(lineBlock("!", `the run failed (${live.code}): ${live.message}`));
      case "run_ended":
        if (live.run.run === null)
          this.#put(lineBlock("-", "stopped before it began: nothing of it is kept"));
        return;
      case "shutdown":
        return this.#put(lineBlock("-", "the Pod is closing"));
      case "command_output":
        for (const one of this.#commands.wrote(live.id, live.text)) this.#put(one);
        return;
      case "title":
      case "panel":
      case "children":
        for (const one of this.#beside.live(live)) this.#put(one);
        return;
      case "state":
      case "turn":
      case "block_start":
      case "tool_start":
      case "tool_progress":
      case "spent":
      // Their records say it.
      case "compaction_ended":
        return;
      default:
        live satisfies never;
    }
  }

  /** Ends a line that is open, so that something else can be said. */
  endLine(): void {
    if (this.#open !== null) this.#write("\n");
    this.lineEnded();
  }

  /** An open line was ended by somebody else: what was typed on the same terminal stands there too. */
  lineEnded(): void {
    this.#open = null;
    this.#newlines = 0;
  }

  /** Nothing that anybody did. */
  #isOfBeginning(entry: Entry): boolean {
    switch (entry.kind) {
      case "segment_start":
        this.#isBeginning = entry.left !== undefined;
        return false;
      case "opened": {
        const isBeginning = this.#isBeginning;
        this.#isBeginning = false;
        return isBeginning;
      }
      case "carried":
        return this.#cameAlong;
      default:
        return false;
    }
  }

  #put(block: Block): void {
    if (this.#past !== null) {
      this.#past.push(block);
      // Twice as many are kept as are shown, so that dropping them is rare.
      if (this.#tail !== null && this.#past.length > 2 * this.#tail + 1)
        this.#past.splice(0, this.#past.length - this.#tail);
      return;
    }
    this.endLine();
    const screen = this.#screen();
    const lines = linesOf(block, screen?.columns ?? null);
    if (block.approval !== undefined) {
      // A row has to be left for what is typed, and one for how it is answered.
      const isWhole = screen === null || lines.split("\n").length + 1 <= screen.rows;
      this.#shown.set(block.approval, isWhole);
    }
    this.#write(lines);
  }

  /** Of what was shown nothing more will come on record. */
  #unrecorded(): void {
    const isAny = [...this.#streamed.values()].some(({ shown }) => shown === null || shown.trim() !== "");
    this.#streamed.clear();
    if (isAny) this.#put(lineBlock("-", "what was shown above is not on record"));
  }

  #goOn({ blocks, request, calls }: InFlight): void {
    const going = new Set<string>();
    for (const { index, block, from, text } of blocks) {
      if (block !== "text" || request === null) continue;
      const key = keyOf(request, index);
      going.add(key);
      const end = this.#streamed.get(key)?.end ?? 0;
      if (end >= from) this.#stream(key, text.slice(end - from));
      else this.#miss(key, from, text);
    }
    for (const { call, name, title } of calls)
      if (!this.#calls.has(call as CallId)) this.#put(lineBlock("*", `${name}: ${title} (running)`));
    if (this.#open !== null && !going.has(this.#open)) this.endLine();
  }

  #stream(key: string, text: string): void {
    const streamed = this.#streamed.get(key) ?? { escaped: new EscapedText(), shown: "", end: 0 };
    this.#streamed.set(key, streamed);
    if (streamed.shown !== null) streamed.shown += text;
    streamed.end += text.length;
    this.#writeText(key, streamed.escaped.push(text));
  }

  /** Of a very long text only the end is in a snapshot: its record shows the whole. */
  #miss(key: string, from: number, text: string): void {
    this.#streamed.set(key, { escaped: new EscapedText(), shown: null, end: from });
    this.endLine();
    this.#writeText(key, "[…]");
    this.#stream(key, text);
  }

  /** False: nothing of it was shown, or something else was, so that all of it is to be shown. */
  #finishStreamed(key: string, text: string): boolean {
    const streamed = this.#streamed.get(key);
    if (streamed === undefined) return false;
    this.#streamed.delete(key);
    const { shown, escaped } = streamed;
    const isWhole = shown !== null && (text.startsWith(shown) || shown.startsWith(text));
    if (isWhole) this.#writeText(key, escaped.push(text.slice(shown.length)) + escaped.end());
    this.endLine();
    if (isWhole && shown.trimEnd().length > text.trimEnd().length) this.#put(keptOf(text));
    return isWhole;
  }

  /** Indented as the text of the model is; blank lines at the end are not written. */
  #writeText(key: string, escaped: string): void {
    if (escaped === "") return;
    if (this.#open !== key) {
      this.endLine();
      if (/^\n*$/.test(escaped)) return;
    }
    const columns = this.#screen()?.columns ?? null;
    let out = "";
    for (const [at, line] of escaped.split("\n").entries()) {
      if (at > 0 && this.#open === key) this.#newlines += 1;
      if (line === "") continue;
      if (this.#open !== key || this.#newlines > 0) {
        out += `${"\n".repeat(this.#newlines)}${indent}`;
        this.#column = indent.length;
      }
      this.#open = key;
      this.#newlines = 0;
      const row = fold(line, { columns, column: this.#column, more: indent });
      this.#column = row.column;
      out += row.text;
    }
    if (out !== "") this.#write(out);
  }
}

/** Below text of which more was shown than is on record. */
function keptOf(text: string): Block {
  const kept = text.trimEnd();
  if (kept === "") return lineBlock("-", "what was shown above is not on record");
  const end = kept.length <= endChars ? kept : `…${kept.slice(-endChars)}`;
  return lineBlock("-", `of the answer above only what ends in ${JSON.stringify(end)} is on record`);
}

function keyOf(request: number, index: number): string {
  return `${request}.${index}`;
}
