/** The state table: what each method does in each state of a Pod. The one place that says it: the Pod's server asks it, and a test walks it. */
import type { MethodName, ProtocolErrorCode } from "./method.ts";

/** `running` also while a run is being accepted. */
export const podStates = ["idle", "running", "paused"] as const;
export type PodState = (typeof podStates)[number];

/** take: the method is carried out. if_unfinished: it is where the last turn is not finished, or inputs or notifications wait, and refused as not_paused where not. nothing: answered, and nothing is done. */
export type StateCell =
  | "take"
  | "if_unfinished"
  | "nothing"
  | Extract<ProtocolErrorCode, "already_running" | "not_running" | "not_paused">;

export const stateTable: Readonly<
  Record<Exclude<MethodName, "hello">, Readonly<Record<PodState, StateCell>>>
> = {
  ping: { idle: "take", running: "take", paused: "take" },
  show: { idle: "take", running: "take", paused: "take" },
  submit: { idle: "take", running: "already_running", paused: "take" },
  notify: { idle: "take", running: "take", paused: "take" },
  resume: { idle: "if_unfinished", running: "already_running", paused: "take" },
  cancel: { idle: "not_running", running: "take", paused: "take" },
  pause: { idle: "not_running", running: "take", paused: "nothing" },
  answer_approval: { idle: "take", running: "take", paused: "take" },
  pod_event: { idle: "take", running: "take", paused: "take" },
  restore_pod: { idle: "take", running: "take", paused: "take" },
  register_peer: { idle: "take", running: "take", paused: "take" },
  compact: { idle: "take", running: "already_running", paused: "take" },
  undo_compaction: { idle: "take", running: "already_running", paused: "take" },
  list_rewind_targets: { idle: "take", running: "take", paused: "take" },
  rewind: { idle: "take", running: "already_running", paused: "take" },
  queue: { idle: "take", running: "take", paused: "take" },
  unqueue: { idle: "take", running: "take", paused: "take" },
  run_command: { idle: "take", running: "take", paused: "take" },
  stop_command: { idle: "take", running: "take", paused: "take" },
  complete_path: { idle: "take", running: "take", paused: "take" },
  set_title: { idle: "take", running: "take", paused: "take" },
  shutdown: { idle: "take", running: "take", paused: "take" },
};
