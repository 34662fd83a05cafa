/** Dialog: what stands in the place of the composer, or of the whole screen, as state. The draft in the composer stays meanwhile. */
import type { ListRewindTargetsResult, RewindTargetView } from "@yoi/protocol";
import type { Composer } from "../composer/composer.ts";
import type { PlacedEntry } from "../app/event.ts";
import type { Intent } from "../app/intent.ts";
import type { ProviderChoice, TreeRow } from "../host.ts";
import type { ListState } from "./list.ts";

/** How long a kept answer counts. */
export const grantTimes = [
  { label: "until I revoke it", ms: null },
  { label: "for a day", ms: 24 * 3_600_000 },
  { label: "for a week", ms: 7 * 24 * 3_600_000 },
  { label: "for 30 days", ms: 30 * 24 * 3_600_000 },
] as const;

/** A call that waits for the user. */
export interface ApprovalDialog {
  readonly kind: "approval";
  readonly digest: string;
  /** Since when it is looked at, in milliseconds since the epoch: what was typed just before was meant for something else. */
  readonly sinceMs: number;
  readonly stage: "choose" | "reason" | "rule";
  readonly selected: number;
  /** Of the stage `rule`: what is kept, for what, where and how long. */
  readonly keepsFor: "session" | "always";
  readonly rule: string;
  readonly isEverywhere: boolean;
  readonly time: number;
  /** First row of the call that is shown, and whether its last one was. */
  readonly scroll: number;
  readonly reason: Composer;
  readonly hint: string | null;
  /** Something was typed that answers nothing: until a choice is made anew, Enter does not answer. */
  readonly isStray: boolean;
  /** The answer is on its way. */
  readonly isSent: boolean;
}

export interface PodsDialog {
  readonly kind: "pods";
  readonly list: ListState;
}

export interface TreeDialog {
  readonly kind: "tree";
  /** Null: they are being read. */
  readonly rows: readonly TreeRow[] | null;
  readonly list: ListState;
}

export interface RewindDialog {
  readonly kind: "rewind";
  /** Null: they are being asked for. */
  readonly head: ListRewindTargetsResult["head"] | null;
  readonly targets: readonly RewindTargetView[];
  readonly hasMore: boolean;
  readonly isAsking: boolean;
  readonly list: ListState;
  readonly withFiles: boolean;
  /** Only the place before the last input is meant. */
  readonly isUndo: boolean;
  /** The chosen one, that is asked about once more. */
  readonly chosen: RewindTargetView | null;
}

/** One of several things; a question is one, too. */
export interface ChoiceDialog {
  readonly kind: "choice";
  readonly title: string;
  /** What there is to say above, a line each. */
  readonly text: readonly string[];
  readonly items: readonly ChoiceItem[];
  readonly list: ListState;
  /** Typing narrows it, and what names no item is taken as it is by `other`. */
  readonly isFiltered: boolean;
}
export interface ChoiceItem {
  readonly label: string;
  readonly detail: string;
  readonly intent: Intent;
}

/** One line of text. */
export interface FieldDialog {
  readonly kind: "field";
  readonly title: string;
  readonly field: Composer;
  readonly for: "title" | "message";
  readonly pod: string;
}

/** What a provider is asked with. */
export interface GivenKey {
  readonly provider: ProviderChoice;
  /** Not kept before a model answered; null: the one that is there, or none. */
  readonly key: string | null;
}

export interface FirstRunDialog {
  readonly kind: "first_run";
  readonly why: string;
  readonly stage:
    | { readonly at: "reading" }
    | { readonly at: "provider" }
    | { readonly at: "key"; readonly provider: ProviderChoice; readonly key: Composer }
    /** A key is there: it is taken, or another one is given. */
    | { readonly at: "key_there"; readonly provider: ProviderChoice }
    | ({ readonly at: "model" } & GivenKey)
    | ({ readonly at: "testing"; readonly model: string } & GivenKey)
    | ({ readonly at: "tested" | "keeping"; readonly model: string; readonly said: string } & GivenKey);
  readonly providers: readonly ProviderChoice[];
  readonly list: ListState;
  readonly problem: string | null;
}

/** Where a pager stands: a row of a section. */
export interface PagerPlace {
  readonly section: number;
  readonly row: number;
}

/** What older entries are read for until it comes, or so many more of them were read. */
export interface OlderSought {
  readonly for: "beginning" | "match";
  readonly left: number;
}

/** Text on the whole screen. */
export interface PagerDialog {
  readonly kind: "pager";
  readonly title: string;
  readonly source:
    | { readonly of: "text"; readonly text: string }
    | { readonly of: "help" }
    /** Entries before those of the session, oldest first. `isAll`: there is nothing before them. */
    | {
        readonly of: "transcript";
        readonly older: readonly PlacedEntry[];
        readonly isAsking: boolean;
        readonly isAll: boolean;
        readonly seeks: OlderSought | null;
      };
  /** Null: at the end, also when that grows. */
  readonly top: PagerPlace | null;
  /** Null: nothing is searched for. `isTyping`: the query is not complete. */
  readonly search: { readonly query: string; readonly isTyping: boolean; readonly isFound: boolean } | null;
}

export type Dialog =
  | ApprovalDialog
  | PodsDialog
  | TreeDialog
  | RewindDialog
  | ChoiceDialog
  | FieldDialog
  | FirstRunDialog
  | PagerDialog;
