/** What a log entry is to a person who follows a Pod: nothing, or lines behind a sign. Pure: the same entries, the same lines. */
import {
  type AssistantItem,
  type CallId,
  type Compacted,
  type CompactionTrigger,
  escapeControls,
  flattenInput,
  isKnown,
  type Item,
  type KeptAnswer,
  type LogEntry,
  type ProjectionChanged,
  type RunCompleted,
  skillLine,
  type SystemItem,
  type ToolResult,
  type QueueTime,
} from "@yoi/base";
import type { PendingApproval } from "@yoi/protocol";
import { pausedText } from "../paused-text.ts";
import { fold } from "./fold.ts";

/** Stands in the first column of every row, with a space behind it; what the model says has a space there. So no text can pass for another kind of line. */
export type Sign = ">" | " " | "~" | "*" | "✓" | "✗" | "#" | "!" | "?" | "-";

export interface Block {
  readonly sign: Sign;
  /** Without control characters but newlines and tabs. */
  readonly text: string;
  /** The digest of the approval that it shows, with all that it allows. */
  readonly approval?: string;
}

/** What an entry refers to, as far as it was seen. */
export interface Seen {
  readonly call: (id: CallId) => { readonly name: string; readonly arguments: string } | null;
  /** The text of the last input behind that seq. */
  readonly inputSince: (seq: number) => { readonly text: string; readonly waited: boolean } | null;
}

/** What a line shows of something that may be long. */
export const previewChars = 160;
/** Of an approval's digest: as much as names it among those that wait. */
export const digestChars = 12;

/**
 * The rows of a block, each with its sign and LF; blank lines at its ends are left out. What goes on below its line stands further in, so that
 * it is not taken for a line of its own.
 * @param columns of the terminal; null: there is none, and each line is one row.
 */
export function linesOf({ sign, text }: Block, columns: number | null): string {
  const more = sign === " " ? "  " : `${sign}   `;
  return withoutBlankEnds(text)
    .split("\n")
    .map(
      (line) =>
        `${line === "" ? sign.trimEnd() : `${sign} ${fold(line, { columns, column: 2, more }).text}`}\n`,
    )
    .join("");
}

function withoutBlankEnds(text: string): string {
  let from = 0;
  let to = text.length;
  while (text[from] === "\n") from += 1;
  while (to > from && text[to - 1] === "\n") to -= 1;
  return text.slice(from, to);
}

export function block(sign: Sign, text: string): Block {
  return { sign, text: escapeControls(text, "newline-tab") };
}

/** One line, whatever is in the text. */
export function lineBlock(sign: Sign, text: string): Block {
  return { sign, text: escapeControls(text) };
}

const queueTexts: Readonly<Record<QueueTime, string>> = {
  boundary: "the next step",
  run_end: "the end of the run",
};

export function blocksOfEntry(entry: LogEntry, seen: Seen): readonly Block[] {
  if (!isKnown(entry)) return [];
  switch (entry.kind) {
    case "opened":
      return [lineBlock("-", `started (epoch ${entry.epoch}, yoi ${entry.version})`)];
    case "invoke":
      if (entry.trigger === "user_send") return [];
      return [lineBlock("-", entry.trigger === "resume" ? "goes on" : "takes in what arrived")];
    case "user_input":
      return [block(">", flattenInput(entry.parts))];
    case "assistant_item":
      return blocksOfItem(entry.item);
    case "tool_result":
      return [resultBlock(entry.item)];
    case "system_item":
      // What came of a command was shown when it ended.
      return entry.item.kind === "user_command" && entry.delivers !== undefined
        ? []
        : [systemBlock(entry.item)];
    case "approval_asked": {
      const { call, digest, reason, offers = [] } = entry;
      const made = seen.call(call);
      if (made !== null)
        return [approvalBlock({ digest, reason, offers, tool: made.name, arguments: made.arguments })];
      const unseen = { digest, reason, offers, tool: `call ${call}`, arguments: "(see the log)" };
      const { sign, text } = approvalBlock(unseen);
      return [{ sign, text }];
    }
    case "approval_answered": {
      const answer = entry.answer === "allow" ? allowedText(entry.keep) : "denied";
      const reason = entry.reason === undefined ? "" : `: ${entry.reason}`;
      const by = (entry.allowed_by ?? []).map(({ rule }) => ` by ${rule}`).join();
      return [lineBlock("?", `${entry.digest.slice(0, digestChars)} ${answer}${by}${reason}`)];
    }
    case "config_changed":
      return [lineBlock("-", `model ${entry.config.model}`)];
    case "run_completed":
      return [lineBlock("-", completedText(entry))];
    case "run_paused": {
      const detail = entry.detail === undefined ? "" : `: ${entry.detail}`;
      const { reason, until = null } = entry;
      const how = until === null ? `paused (${reason})` : pausedText({ reason, until });
      return [lineBlock("-", `${how}${detail}`)];
    }
    case "run_errored":
      return [lineBlock("-", `failed (${entry.code}): ${entry.message}`)];
    case "turn_rolled_back": {
      const input = seen.inputSince(entry.from_seq);
      if (input === null) return [lineBlock("-", "the input was taken back")];
      return [block("-", `${input.waited ? "waits again" : "taken back"}: ${input.text}`)];
    }
    case "compacted":
      return [lineBlock("-", compactedText(entry))];
    case "quarantined":
      return [
        lineBlock("-", `without the ${entry.part} of entry ${entry.target}: ${preview(entry.message)}`),
      ];
    case "carried":
      return entry.of === "item" ? blocksOfCarried(entry.item) : [];
    case "projection":
      return [lineBlock("-", leftOutText(entry))];
    case "input_queued":
      return [block("-", `waits for ${queueTexts[entry.when]}: ${flattenInput(entry.parts)}`)];
    case "input_unqueued":
      return [lineBlock("-", "an input that waited was taken back")];
    case "user_command":
      return [block("-", `! ${entry.command}`)];
    case "segment_start":
    case "segment_ready":
    case "compaction_begun":
    case "assistant_partial":
    case "tool_started":
    case "tools_changed":
    case "llm_request":
    case "llm_usage":
    case "turn_end":
    case "inbox_accepted":
    case "child_cursor":
    case "extension":
      return [];
  }
}

/** Below what is on record of an answer that was cut. */
export const brokeOff: Block = lineBlock("-", "the answer broke off here");

function blocksOfItem(item: AssistantItem): readonly Block[] {
  switch (item.type) {
    case "assistant_message": {
      const said = item.text.trim() === "" ? [] : [block(" ", item.text)];
      return item.status === "incomplete" ? [...said, brokeOff] : said;
    }
    case "reasoning":
      return item.text.trim() === "" ? [] : [block("~", preview(item.text.trim()))];
    case "tool_call":
      return [lineBlock("*", `${item.name} ${preview(item.arguments)}`)];
  }
}

function blocksOfCarried(item: Item): readonly Block[] {
  switch (item.type) {
    case "user_message":
      return [block(">", flattenInput(item.parts))];
    case "tool_result":
      return [resultBlock(item)];
    case "system_item":
      return [systemBlock(item)];
    case "assistant_message":
    case "reasoning":
    case "tool_call":
      return blocksOfItem(item);
  }
}

function resultBlock({ name, summary, is_error: isError }: ToolResult): Block {
  return lineBlock(
    isError ? "✗" : "✓",
    `${name}: ${preview(summary.replace(/^\n+|\n+$/g, "").replaceAll(/\n+/g, " · "))}`,
  );
}

function systemBlock(item: SystemItem): Block {
  const { kind, source, body, reason } = item;
  const skill = skillLine(item);
  if (skill !== null) return lineBlock("#", skill);
  const why = reason === undefined ? "" : ` (${preview(reason)})`;
  return block("#", `${kind} from ${source}${why}: ${preview(body)}`);
}

/** All of what an answer allows. What the model wrote stands further in than the words of yoi, and nothing can be hidden behind spaces. */
export function approvalBlock(
  asked: Pick<PendingApproval, "digest" | "reason" | "tool" | "arguments" | "offers">,
): Block {
  const { digest, reason, tool, arguments: args, offers = [] } = asked;
  const rules = offers.map((offer, index) => `\n    rule ${index + 1}: ${spelled(offer)}`).join("");
  const name = escapeControls(digest.slice(0, digestChars));
  return {
    sign: "?",
    text: `${name} waits for your answer: ${spelled(reason)}\n  ${spelled(tool)} ${spelled(args)}${rules}`,
    approval: digest,
  };
}

function allowedText(keep: KeptAnswer | undefined): string {
  if (keep === undefined) return "allowed once";
  return `allowed ${keep.for === "session" ? "for this session" : "always"} by the rule ${spelled(keep.rule)}`;
}

/** Spaces of all kinds, and letters that look like one. */
const blanks = /[\p{Zs}\u115f\u1160\u2800\u3164\uffa0]{2,}/gu;

function spelled(text: string): string {
  return escapeControls(text).replace(blanks, (run) => "·".repeat(run.length));
}

function completedText({ result, detail }: RunCompleted): string {
  const words = {
    finished: "finished",
    limit_reached: "stopped at a limit",
    cancelled: "cancelled",
    aborted: "aborted",
  }[result];
  return detail === undefined ? words : `${words}: ${detail}`;
}

function leftOutText({ reason, message, saved_tokens: saved }: ProjectionChanged): string {
  if (reason !== "pruned") return preview(message);
  return `pruned${saved === undefined ? "" : `, about ${saved} tokens less`}: ${preview(message)}`;
}

export function triggerText(trigger: CompactionTrigger): string {
  return {
    threshold: "the threshold is reached",
    context_overflow: "the provider refused it as too long",
    hook: "a hook asked for it",
    user: "asked for",
  }[trigger];
}

export function compactedText({
  outcome,
  message,
  tokens_before: before,
  tokens_after: after,
}: Compacted): string {
  if (outcome === "committed") return `compacted from about ${before} to ${after ?? 0} tokens`;
  return `not compacted (${outcome})${message === undefined ? "" : `: ${preview(message)}`}`;
}

export function preview(text: string): string {
  return text.length <= previewChars ? text : `${text.slice(0, previewChars)}…`;
}
