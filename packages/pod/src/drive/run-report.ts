/** RunReport: what a run came to, together with the notification runs that followed it. */
import { type CommittedItem, type Cost, subtractCost, subtractUsage, type Usage } from "@yoi/base";
import type { RunOutcome } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import { denialsOfRun, type PermissionDenial } from "../policy/denials.ts";

export interface RunReport {
  /** Of the last run. */
  readonly outcome: RunOutcome;
  /** False: it was stopped before it was on record. Nothing of it is kept, and there is nothing to go on with. */
  readonly accepted: boolean;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  /** What was refused since the input, also before the run was resumed or by another process; in a run that began by itself, since that. */
  readonly denials: readonly PermissionDenial[];
  /** A run that finished had its last turn behind a call that somebody would have had to allow. */
  readonly permissionNeeded: boolean;
}

/** Keeps what the report needs from before. */
export class RunAccount {
  readonly #gate: HistoryGate;
  readonly #before: { readonly turns: number; readonly usage: Usage; readonly cost: Cost };
  /** Seq before everything that counts; -1: the last input says where that begins. */
  readonly #from: number;
  /** The same of the run that goes on. */
  #runFrom: number;
  #permissionNeeded = false;

  /** Made before the run is on record. */
  constructor(gate: HistoryGate, { from }: { readonly from: number } = { from: -1 }) {
    this.#gate = gate;
    this.#before = { turns: gate.turnCount, usage: gate.state.usage, cost: gate.state.cost };
    this.#from = from;
    this.#runFrom = from;
  }

  get turns(): number {
    return this.#gate.turnCount - this.#before.turns;
  }

  /** A notification run follows. */
  begin(): void {
    this.#runFrom = this.#gate.lastSeq;
  }

  /** A run is closed on record. */
  end({ kind }: RunOutcome): void {
    if (kind === "finished" && denialsOfRun(this.#itemsSince(this.#runFrom)).lastAsked)
      this.#permissionNeeded = true;
  }

  report(outcome: RunOutcome, accepted: boolean): RunReport {
    const { state } = this.#gate;
    return {
      outcome,
      accepted,
      turns: this.turns,
      usage: subtractUsage(state.usage, this.#before.usage),
      cost: subtractCost(state.cost, this.#before.cost),
      denials: accepted ? denialsOfRun(this.#itemsSince(this.#from)).denials : [],
      permissionNeeded: outcome.kind === "finished" && this.#permissionNeeded,
    };
  }

  #itemsSince(seq: number): readonly CommittedItem[] {
    const { items } = this.#gate;
    return seq < 0 ? items : items.slice(items.findLastIndex((item) => item.seq <= seq) + 1);
  }
}
