/** WorkerEvent: what observers are told while a run goes on. Provisional where it says so; records are in the log. */
import type { CallId, FinishReason, ToolResult, Usage } from "@yoi/base";
import type { BlockKind, ModelFailure } from "@yoi/model";

export type WorkerEvent =
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "request_recorded"; readonly seq: number }
  | {
      readonly type: "block_start";
      readonly index: number;
      readonly block: BlockKind;
      readonly name?: string;
    }
  /** Provisional: superseded by the committed item. */
  | { readonly type: "block_delta"; readonly index: number; readonly block: BlockKind; readonly text: string }
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly waitMs: number;
      readonly failure: ModelFailure;
    }
  | {
      readonly type: "continuation";
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly reason: string;
    }
  | {
      readonly type: "answer";
      readonly request: number;
      readonly finish: FinishReason;
      readonly usage: Usage;
    }
  /** The text of a committed assistant message. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_start"; readonly call: CallId; readonly name: string; readonly title: string }
  /** Provisional live output. */
  | { readonly type: "tool_progress"; readonly call: CallId; readonly text: string }
  | { readonly type: "tool_end"; readonly call: CallId; readonly result: ToolResult }
  | { readonly type: "denied"; readonly call: CallId; readonly name: string; readonly reason: string }
  /** With `tool`, what a tool says: any text, as it gave it. */
  | { readonly type: "warning"; readonly text: string; readonly tool?: string };

/** An observer that throws is ignored: it cannot change a run. */
export type WorkerObserver = (event: WorkerEvent) => void;
