/** RunReport: what a run came to, and the notification runs that followed it. */
import { type Cost, type Item, itemOf, subtractCost, subtractUsage, type Usage } from "@yoi/base";
import type { RunOutcome } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import { DenialsOfRun, type PermissionDenial } from "../policy/denials.ts";

export interface RunReport {
  /** Of what was asked for; of a run that began by itself, its first one. Turns, usage, cost and denials count those that followed too. */
  readonly outcome: RunOutcome;
  /** Of the notification runs behind it, in their order. All but the last finished. */
  readonly followed: readonly RunOutcome[];
  /** False: it was stopped before it was on record. Nothing of it is kept, and there is nothing to go on with. */
  readonly accepted: boolean;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  /** What was refused since the input, also before the run was resumed or by another process; in a run that began by itself, since that. */
  readonly denials: readonly PermissionDenial[];
  /** One of the runs that finished had its last turn behind a call that somebody would have had to allow. */
  readonly permissionNeeded: boolean;
}

/** Keeps what the report needs: history may go on in another segment meanwhile, without what the run began with. */
export class RunAccount {
  readonly #gate: HistoryGate;
  readonly #before: { readonly turns: number; readonly usage: Usage; readonly cost: Cost };
  /** That count against the limit too: of before a pause that ended by itself. */
  readonly #turnsBefore: number;
  readonly #unheard: () => void;
  /** Of everything that counts. */
  readonly #denials = new DenialsOfRun();
  /** Of the run that goes on. */
  #ofRun = new DenialsOfRun();
  /** Of the runs that are closed on record. */
  readonly #outcomes: RunOutcome[] = [];
  #permissionNeeded = false;

  /**
   * Made before the run is on record, and closed behind its end.
   * @param since from when on what was refused counts. input: what the last input began.
   */
  constructor(gate: HistoryGate, since: "input" | "now", turnsBefore = 0) {
    this.#gate = gate;
    this.#turnsBefore = turnsBefore;
    this.#before = { turns: gate.turnCount, usage: gate.state.usage, cost: gate.state.cost };
    if (since === "input") for (const { item } of gate.items) this.#take(item);
    this.#unheard = gate.onCommit((entries) => {
      const begins = entries.some(({ kind }) => kind === "invoke");
      for (const entry of entries) {
        const item = itemOf(entry);
        // What the user says to a run that goes on begins nothing.
        if (item !== null && (begins || item.type !== "user_message")) this.#take(item);
      }
    });
  }

  #take(item: Item): void {
    this.#denials.take(item);
    this.#ofRun.take(item);
  }

  close(): void {
    this.#unheard();
  }

  get turns(): number {
    return this.#gate.turnCount - this.#before.turns;
  }

  get turnsCounted(): number {
    return this.#turnsBefore + this.turns;
  }

  /** Never negative: an answer without calls ends a run, also where it is one more than the limit. */
  turnsLeft(maxTurns: number | null): number | null {
    return maxTurns === null ? null : Math.max(0, maxTurns - this.turnsCounted);
  }

  /** A notification run follows. */
  begin(): void {
    this.#ofRun = new DenialsOfRun();
  }

  /** A run is closed on record. */
  end(outcome: RunOutcome): void {
    this.#outcomes.push(outcome);
    if (outcome.kind === "finished" && this.#ofRun.lastAsked) this.#permissionNeeded = true;
  }

  /** @param unrecorded what a run came to that never came on record; null: it did. */
  report(unrecorded: RunOutcome | null): RunReport {
    const { state } = this.#gate;
    const [first, ...followed] = unrecorded === null ? this.#outcomes : [unrecorded];
    if (first === undefined) throw new Error("nothing is known of how the run ended");
    return {
      outcome: first,
      followed,
      accepted: unrecorded === null,
      turns: this.turns,
      usage: subtractUsage(state.usage, this.#before.usage),
      cost: subtractCost(state.cost, this.#before.cost),
      // The last input is another run's where that of this one is not on record, or not in history any more.
      denials: unrecorded === null && first.kind !== "rolled_back" ? [...this.#denials.denials] : [],
      permissionNeeded: this.#permissionNeeded,
    };
  }
}
