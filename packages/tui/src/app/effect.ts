/** Effect: what the terminal wants done by the machine, as data. `app/perform.ts` carries each out, and what comes of it is an event. */
import type { InputPart, QueueTime } from "@yoi/base";
import type { AnswerApprovalParams, Cursor, RewindParams } from "@yoi/protocol";
import type { PageName, StartChoices } from "../host.ts";
import type { AfterFork } from "./intent.ts";

/** What is sent to a Pod once, over lost connections: the performer names it, and keeps the name for as long as it is tried. */
export type Sendable =
  | { readonly as: "submit"; readonly parts: readonly InputPart[] }
  | { readonly as: "queue"; readonly parts: readonly InputPart[]; readonly when: QueueTime }
  | { readonly as: "run_command"; readonly command: string }
  | { readonly as: "notify"; readonly message: string };

/** What the open Pod is asked. */
export type Ask =
  /** `sending`: of the `Sending` that waits for the answer. */
  | { readonly kind: "send"; readonly sending: number; readonly what: Sendable }
  | { readonly kind: "resume" }
  | { readonly kind: "cancel" }
  | { readonly kind: "pause" }
  | { readonly kind: "compact" }
  | { readonly kind: "undo_compaction" }
  | { readonly kind: "answer_approval"; readonly params: AnswerApprovalParams }
  | { readonly kind: "rewind_targets"; readonly olderThan: string | null }
  | { readonly kind: "rewind"; readonly params: RewindParams }
  | { readonly kind: "unqueue"; readonly id: string }
  | { readonly kind: "stop_command"; readonly id: string }
  /** `ticket`: an answer to another one than the last is late. */
  | { readonly kind: "complete_path"; readonly ticket: number; readonly prefix: string }
  | { readonly kind: "set_title"; readonly title: string | null }
  | { readonly kind: "shutdown" };

export type Effect =
  /** `after`: what is known of it already; null: the end of its past is told. */
  | {
      readonly type: "attach";
      readonly attachment: number;
      readonly name: string;
      readonly after: Cursor | null;
    }
  | { readonly type: "detach"; readonly attachment: number }
  | { readonly type: "ask"; readonly attachment: number; readonly ask: Ask }
  /** The same of a Pod that is not open. */
  | { readonly type: "ask_other"; readonly name: string; readonly ask: "pause" | "resume" | "cancel" }
  | {
      readonly type: "start";
      /** What waits for it goes by this. */
      readonly ticket: number;
      readonly name: string | null;
      readonly choices: StartChoices;
    }
  | {
      readonly type: "restore";
      readonly name: string;
      readonly how: StartChoices & { readonly resume?: boolean };
      /** It is opened then. */
      readonly opens: boolean;
    }
  | { readonly type: "stop"; readonly name: string }
  | { readonly type: "fork"; readonly name: string; readonly next: AfterFork }
  | { readonly type: "export"; readonly name: string }
  | { readonly type: "send_other"; readonly name: string; readonly text: string }
  | { readonly type: "title_other"; readonly name: string; readonly title: string | null }
  | { readonly type: "list_pods" }
  | { readonly type: "list_tree" }
  | { readonly type: "list_grants" }
  | { readonly type: "revoke"; readonly id: string }
  | { readonly type: "older"; readonly name: string; readonly place: Cursor; readonly count: number }
  | { readonly type: "page"; readonly page: PageName; readonly pod: string | null }
  | { readonly type: "load_history" }
  | { readonly type: "add_history"; readonly text: string }
  | { readonly type: "is_first_run" }
  | { readonly type: "list_skills" }
  | { readonly type: "list_providers"; readonly for: "first_run" | "choice" }
  /** With the key that was given; null: with the one that is there. */
  | { readonly type: "test_model"; readonly model: string; readonly key: string | null }
  | { readonly type: "stop_test" }
  | {
      readonly type: "keep_model";
      readonly model: string;
      readonly provider: string;
      readonly key: string | null;
    }
  | { readonly type: "edit"; readonly text: string }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" }
  | { readonly type: "copy"; readonly text: string }
  /** By bell, and by what else the terminal has, while nobody looks. */
  | { readonly type: "notify"; readonly text: string };
