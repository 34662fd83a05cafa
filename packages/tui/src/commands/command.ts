/** Command: what a slash command asks for, as data. `app` carries each out. */
import type { PageName } from "../host.ts";
import type { ScreenMode, ThemeChoice } from "../settings.ts";

export type Command =
  | { readonly kind: "help" | "keys" | "status" | "tasks" | "transcript" | "copy" | "setup" | "quit" }
  | { readonly kind: "page"; readonly page: PageName }
  /** A text of the user's, sent as if it had been typed. */
  | { readonly kind: "prompt"; readonly text: string }
  /** There is no such thing in yoi, and what there is instead. */
  | { readonly kind: "say"; readonly sentence: string }
  | { readonly kind: "pods" | "tree" | "grants" | "pause" | "cancel" | "compact" | "undo_compaction" }
  /** undo: to before the last input. rewind: to a place that is chosen. */
  | { readonly kind: "rewind" | "undo" | "fork" | "export" | "show_queue" }
  /** A new Pod of this workspace; null: a name is drawn. The open one stays. */
  | { readonly kind: "new"; readonly name: string | null }
  | { readonly kind: "open"; readonly name: string }
  /** Null: the open Pod goes on with its run where that is paused or was interrupted, else one is chosen. */
  | { readonly kind: "resume"; readonly name: string | null }
  | { readonly kind: "send"; readonly name: string; readonly text: string }
  /** Null: the open one. */
  | { readonly kind: "stop" | "restore"; readonly name: string | null }
  /** Null: it has none any more. */
  | { readonly kind: "title"; readonly title: string | null }
  /** Null: those that there are are shown. */
  | { readonly kind: "model" | "permissions"; readonly value: string | null }
  | { readonly kind: "sandbox"; readonly value: "on" | "off" }
  /** Null: what it is now is said. */
  | { readonly kind: "theme"; readonly theme: ThemeChoice | null }
  | { readonly kind: "screen"; readonly screen: ScreenMode | null }
  /** `id`: the beginning of the digest; null: the one that waits. */
  | { readonly kind: "approve"; readonly id: string | null }
  | { readonly kind: "deny"; readonly id: string | null; readonly reason: string }
  | { readonly kind: "revoke"; readonly id: string }
  | { readonly kind: "notify"; readonly message: string }
  /** For the time after the run. */
  | { readonly kind: "queue"; readonly text: string }
  /** The how manieth that waits, from 1; null: the last. */
  | { readonly kind: "unqueue"; readonly nth: number | null };

export type CommandReading =
  | { readonly kind: "command"; readonly command: Command }
  /** A prompt that loads a skill. `from`: where its name begins in what is typed. */
  | { readonly kind: "skill"; readonly name: string; readonly from: number }
  /** It names no command, and no skill that is known: one may have been written since. */
  | { readonly kind: "unknown"; readonly sentence: string }
  | { readonly kind: "wrong"; readonly sentence: string };
