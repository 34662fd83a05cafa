/** What drive is made with, what it is asked with, and what it tells. */
import type { Clock, Timers } from "@yoi/base";
import type { PodState } from "@yoi/protocol";
import type { Worker } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import type { Submissions } from "../inbox/submissions.ts";
import type { InputPorts } from "../turn/given-input.ts";
import type { InputQueue } from "../turn/input-queue.ts";
import type { Room } from "./make-room.ts";
import type { RunReport } from "./run-report.ts";

/** What drive tells whoever watches, each behind the commit that it follows from. */
export type DriveEvent =
  /** Told at each change, from that of the moment at which the Pod was opened on. */
  | { readonly type: "state"; readonly state: PodState }
  /** Behind the closing record, of asked runs and of those that began by themselves. `run`: `entryId` of the first invoke; null: it never came on record. */
  | { readonly type: "run_ended"; readonly run: string | null; readonly report: RunReport }
  /** The log could not be written: what of the run is on record stands. */
  | { readonly type: "run_failed"; readonly run: string | null; readonly error: unknown };

export interface DriveParts {
  readonly gate: HistoryGate;
  readonly submissions: Submissions;
  readonly input: InputPorts;
  readonly queue: InputQueue;
  readonly worker: Worker;
  /** Absent: nothing compacts, and a run that yields is paused. */
  readonly room?: Room;
  readonly clock: Clock;
  readonly timers: Pick<Timers, "after">;
  /** What is known of the model's limits is forgotten, so that a request is sent whatever they say. Absent: nothing is known but by asking. */
  readonly forgetLimits?: () => Promise<void>;
  /** Turns per run, with the notification runs that follow it; null: no limit. */
  readonly maxTurns: number | null;
  /** What arrives while the Pod is idle begins a run by itself. Absent or false: it waits for the next run. */
  readonly beginsOwnRuns?: boolean;
  /** Told of a run that came on record and was cut, or threw: a call may have been given up, so what its tools did and what is on record may differ. */
  readonly unfinished?: () => void;
  readonly observe?: (event: DriveEvent) => void;
}

export interface RunLimits {
  /** After this long the run is stopped as limit_reached, whatever it waits for; null: no limit. Time in which the machine sleeps may not count. */
  readonly timeoutMs: number | null;
  /** What is left of it where some was used before the run; without it, all. */
  readonly leftMs?: number;
}

export interface BeginOptions {
  readonly limits: RunLimits;
  /** Where the same name came in before, nothing begins. */
  readonly submission?: string;
}
