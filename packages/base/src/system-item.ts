/** SystemItem: text that the host puts into history. The model sees exactly `body`; a person sees kind, source and reason too. */

export type SystemItemKind =
  | "notification"
  | "pod_event"
  | "file_attachment"
  | "task_reminder"
  /** The previous run was cut short, and what that means. */
  | "interrupt";

export interface SystemItem {
  readonly type: "system_item";
  readonly kind: SystemItemKind;
  /** Who wrote it: `host`, or a feature's id. */
  readonly source: string;
  /** Why it was written, for a person. */
  readonly reason?: string;
  /** Frozen at commit, so that replay is byte-identical when templates change. */
  readonly body: string;
}
