/** What the user asks of a Pod besides an input that begins a run: an input that waits for its time, and a command. */
import type { InputPart } from "./input-part.ts";

/** boundary: with the next request of the run that goes on. run_end: as the next input, behind it. */
export const queueTimes = ["boundary", "run_end"] as const;
export type QueueTime = (typeof queueTimes)[number];
/** An input that waits for its time, durable before its sender hears that it was accepted. In history from its `user_input` on. */
export interface InputQueued {
  readonly kind: "input_queued";
  readonly parts: readonly InputPart[];
  readonly when: QueueTime;
  readonly submission: string;
}
/** One that waits no longer: its sender took it back. */
export interface InputUnqueued {
  readonly kind: "input_unqueued";
  /** Seq of its `input_queued`. */
  readonly queued: number;
}
/** The user runs a command in the Pod's scope: durable before it starts. What came of it is told to the model by an `inbox_accepted` whose item is a `user_command`. */
export interface UserCommand {
  readonly kind: "user_command";
  readonly command: string;
  readonly submission: string;
}
