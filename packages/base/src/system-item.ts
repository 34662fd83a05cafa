/** SystemItem: what the host puts into history. The model sees exactly `body`; a person sees kind, source and reason too. */
import type { Image } from "./item.ts";
import type { JsonObject } from "./json.ts";

export type SystemItemKind =
  | "notification"
  | "pod_event"
  | "file_attachment"
  | "task_reminder"
  /** The previous run was cut short, and what that means. */
  | "interrupt"
  /** What happened before a compaction, in words. */
  | "summary"
  /** What the user asked for before a compaction, word for word. */
  | "user_inputs"
  /** What a feature knows of the session, for a model whose history was compacted. */
  | "feature_state"
  /** The files that were read or written before a compaction, with their digests. */
  | "read_files"
  /** The session went back, or goes on from another one. */
  | "lineage"
  /** The user ran a command, and what came of it. */
  | "user_command"
  /** How something is done: the text of a skill, loaded when it was asked for. */
  | "skill";

export interface SystemItem {
  readonly type: "system_item";
  readonly kind: SystemItemKind;
  /** Who wrote it: `host`, or a feature's id. */
  readonly source: string;
  /** Why it was written, for a person. */
  readonly reason?: string;
  /** Frozen at commit, so that replay is byte-identical when templates change. */
  readonly body: string;
  /** Of an attached picture: shown to a model that sees images, and left out for any other. */
  readonly images?: readonly Image[];
  /** What the host wants back after a restart. The model never sees it. */
  readonly record?: JsonObject;
}
