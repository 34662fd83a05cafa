/** Block: one thing in the conversation with a Pod, as state. How it looks is for `view/block`. */
import type { InputPart } from "@yoi/base";

interface BlockHead {
  /** Dense, in the order in which they are shown; of one view, never on the wire. */
  readonly n: number;
  /** Names it in all views: the `entryId` of what began it, or of the call. */
  readonly id: string;
  /** Nothing of it changes any more. */
  readonly isFinished: boolean;
}

/** How far a text of the model came. `cut`: it broke off, and what is there is on record. */
export type TextProgress = "arriving" | "whole" | "cut";

/**
 * writing: its arguments arrive. asked: it waits for the user. waiting: for its lane, or to be judged. done, failed: it ran. refused: it never ran. unknown: its
 * process died while it ran.
 */
export type CallProgress =
  | "writing"
  | "waiting"
  | "asked"
  | "running"
  | "done"
  | "failed"
  | "refused"
  | "unknown";

export type BlockBody =
  | { readonly kind: "input"; readonly parts: readonly InputPart[] }
  | { readonly kind: "answer"; readonly text: string; readonly progress: TextProgress }
  | { readonly kind: "reasoning"; readonly text: string; readonly progress: TextProgress }
  | {
      readonly kind: "call";
      readonly call: string;
      readonly tool: string;
      /** Raw JSON text, as far as it arrived. */
      readonly arguments: string;
      readonly progress: CallProgress;
      /** The end of its live output. */
      readonly output: string;
      readonly summary: string | null;
      readonly content: string | null;
      /** Of Write and Edit: the change, as unified hunks; null: none is on record. */
      readonly diff: string | null;
      readonly images: number;
    }
  /** What the host put into history: the model reads exactly `body`. */
  | {
      readonly kind: "system";
      readonly item: string;
      readonly source: string;
      /** One line that says what it is, in place of its kind, source and beginning. Absent: these say it. */
      readonly title?: string;
      readonly reason: string | null;
      readonly body: string;
      readonly images: number;
    }
  /** A command of the user. */
  | {
      readonly kind: "command";
      readonly command: string;
      /** failed: it ended otherwise than well, or did not begin. */
      readonly progress: "running" | "done" | "failed" | "unknown";
      /** The end of what it writes; once it ended, what the model is told of it. */
      readonly output: string;
    }
  /** Something that happened to the Pod or its run, as one sentence. */
  | { readonly kind: "note"; readonly level: "info" | "warn" | "error"; readonly text: string };

export type Block = BlockHead & BlockBody;
