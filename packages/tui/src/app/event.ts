/** UiEvent: all that the state of the terminal depends on. `now` comes with each, in milliseconds since the epoch. */
import type { InputPart, LogEntry } from "@yoi/base";
import type {
  CompactResult,
  CompletePathResult,
  Cursor,
  ListRewindTargetsResult,
  RewindResult,
  UndoCompactionResult,
  SkillOffer,
} from "@yoi/protocol";
import type { GrantRow, Page, PodRow, ProviderChoice, TreeRow } from "../host.ts";
import type { InputEvent } from "../keys/key-event.ts";
import type { SessionEvent } from "../session/session.ts";
import type { ScreenSize } from "../view/line.ts";
import type { Ask, Effect } from "./effect.ts";
import type { AfterFork } from "./intent.ts";

/** What the open Pod answered. */
export type AskAnswer =
  | { readonly kind: "done"; readonly ask: Ask }
  | { readonly kind: "sent"; readonly sending: number }
  /** `isKnown`: the Pod refused it; false: nobody answered. */
  | {
      readonly kind: "not_sent";
      readonly sending: number;
      readonly why: string;
      readonly isBusy: boolean;
      readonly isKnown: boolean;
    }
  | { readonly kind: "compacted"; readonly result: CompactResult }
  | { readonly kind: "compaction_undone"; readonly result: UndoCompactionResult }
  | {
      readonly kind: "rewind_targets";
      readonly olderThan: string | null;
      readonly result: ListRewindTargetsResult;
    }
  | { readonly kind: "rewound"; readonly result: RewindResult }
  | { readonly kind: "unqueued"; readonly parts: readonly InputPart[] }
  | { readonly kind: "paths"; readonly ticket: number; readonly result: CompletePathResult }
  | { readonly kind: "refused"; readonly ask: Ask; readonly why: string };

export interface PlacedEntry {
  readonly at: Cursor;
  readonly entry: LogEntry;
}

export type UiEventBody =
  | { readonly type: "session"; readonly attachment: number; readonly event: SessionEvent }
  | { readonly type: "input"; readonly input: InputEvent }
  | { readonly type: "focus"; readonly isFocused: boolean }
  | { readonly type: "resize"; readonly size: ScreenSize }
  | { readonly type: "tick" }
  | { readonly type: "attached"; readonly attachment: number }
  | { readonly type: "answered"; readonly attachment: number; readonly answer: AskAnswer }
  | {
      readonly type: "started";
      readonly ticket: number;
      readonly name: string;
      readonly warnings: readonly string[];
    }
  | {
      readonly type: "restored";
      readonly name: string;
      readonly opens: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly type: "stopped"; readonly name: string }
  | { readonly type: "forked"; readonly from: string; readonly name: string; readonly next: AfterFork }
  | { readonly type: "exported"; readonly name: string; readonly path: string }
  | { readonly type: "told_other"; readonly name: string; readonly what: string }
  | { readonly type: "pods"; readonly rows: readonly PodRow[] }
  | { readonly type: "tree"; readonly rows: readonly TreeRow[] }
  | { readonly type: "grants"; readonly rows: readonly GrantRow[] }
  | { readonly type: "revoked"; readonly id: string; readonly wasThere: boolean }
  | { readonly type: "older"; readonly name: string; readonly entries: readonly PlacedEntry[] }
  | { readonly type: "page"; readonly page: Page }
  | { readonly type: "history"; readonly texts: readonly string[] }
  | { readonly type: "first_run"; readonly why: string | null; readonly skills: readonly SkillOffer[] }
  | { readonly type: "skills"; readonly skills: readonly SkillOffer[] }
  | {
      readonly type: "providers";
      readonly for: "first_run" | "choice";
      readonly providers: readonly ProviderChoice[];
    }
  | { readonly type: "model_tested"; readonly model: string; readonly said: string }
  | { readonly type: "model_kept"; readonly model: string; readonly file: string }
  /** Null: nothing was changed. */
  | { readonly type: "edited"; readonly text: string | null }
  /** An effect came to nothing; what became of the rest of it is not known. */
  | { readonly type: "failed"; readonly effect: Effect; readonly why: string };

export type UiEvent = UiEventBody & { readonly now: number };
