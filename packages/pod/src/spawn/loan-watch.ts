/** LoanWatch: takes loans back whose child is gone, and nobody asked: at the opening, behind a hint, now and then. What cannot be found out stays lent. */
import { messageOf, type PodName, YoiError } from "@yoi/base";
import { type ChildRecord, hostPurpose, isTheOneThatRuns } from "@yoi/pod-store";
import { GoneWatch } from "./gone-watch.ts";
import type { Lender } from "./lender.ts";
import { takeReclaimBack, tellKept } from "./loan-notices.ts";
import { isLooserChild, looserSentence } from "./looser-child.ts";
import { reclaim, type Reclaimed, takeNow } from "./reclaim.ts";
import type { Turns } from "./turns.ts";

export class LoanWatch {
  readonly #lender: Lender;
  readonly #turns: Turns;
  readonly #closing = new AbortController();
  readonly #gone: GoneWatch;
  /** Reclaims that wait for room in the inbox. */
  readonly #owed = new Set<PodName>();
  /** What kept the last look at a child from an answer. */
  readonly #failed = new Map<PodName, string>();

  constructor(lender: Lender, turns: Turns) {
    this.#lender = lender;
    this.#turns = turns;
    this.#gone = new GoneWatch({
      ...lender.ports,
      signal: this.#closing.signal,
      mayBeEnding: async (name) => (await this.#attempt(name))?.result === "held",
    });
  }

  /**
   * What an earlier owner left: each loan stays open while somebody has a lease of its tree, and comes back otherwise. To be called before anything runs: a
   * notice of each that came back is on record then. Where that cannot be found out, it stays open, and the user is told.
   */
  async reconcile(): Promise<void> {
    await Promise.all(this.#lender.record.current.children.map(({ name }) => this.#reconcileOne(name)));
  }

  /** What cannot be found out about one child is no reason to keep the Pod from its user: what is unknown stays lent. */
  async #reconcileOne(name: PodName): Promise<void> {
    const { name: self, lease, record, warn } = this.#lender;
    try {
      const looked = await this.#lookInTurn(name);
      const child = record.openChild(name);
      if (looked?.result !== "held" || child === null) return;
      const holder = await lease.owner(name);
      const isLive = holder?.alive === true && isTheOneThatRuns(holder.owner);
      // Its parent died behind its start, and before that was on record.
      if (isLive && child.state === "starting") await record.putChild({ ...child, state: "live" });
      const isHosted = isLive && holder.owner.purpose === hostPurpose;
      const unknown = isLive
        ? ""
        : ", because nobody can tell that it, or what is below it, is gone (StopPod ends it)";
      if (!isHosted) warn(`The loan of the child ${name} stays open${unknown}: ${looked.error.message}`);
      if (isLive && (await isLooserChild(this.#lender, child))) warn(looserSentence(name, self));
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      this.#unknown(name, error);
    }
  }

  /** Looks once for children that are gone without anybody having heard it. Never throws. */
  async lookAround(): Promise<void> {
    for (const { name } of this.#lender.record.current.children) {
      const holder = await this.#lender.lease.owner(name).catch(() => null);
      if (holder?.alive !== true) await this.#attempt(name);
    }
  }

  /** Takes the child's loan back if it is gone; while it may be ending, looks again for a while. Resolves with the last look. Never throws. */
  checkGone(name: PodName): Promise<void> {
    return this.#gone.lookAfter(name);
  }

  /** In the child's turn: takes its loan back where the leases say that it is gone, and tells what has to be told where it is not. */
  async look(child: ChildRecord): Promise<Reclaimed> {
    const lender = this.#lender;
    const looked = await reclaim(lender, child, { take: takeNow(lender), isOwnDoing: false });
    this.#failed.delete(child.name);
    if (looked.result === "owed") this.owe(child.name);
    if (looked.result === "held") await takeReclaimBack(lender, child);
    if (looked.result === "held" && !looked.isLive) await tellKept(lender, child, looked.error);
    return looked;
  }

  /** Its reclaim waits for room in the inbox. */
  owe(name: PodName): void {
    this.#owed.add(name);
  }

  /** There is room in the inbox: reclaims that waited for it go on. Never throws. */
  async roomAgain(): Promise<void> {
    const owed = [...this.#owed];
    this.#owed.clear();
    await Promise.all(owed.map((name) => this.#attempt(name)));
  }

  /** No look begins any more; resolves when no child is looked after. The looks that go on end with the turns. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#gone.ended();
  }

  /** Null: nothing is open. */
  #lookInTurn(name: PodName): Promise<Reclaimed | null> {
    return this.#turns.take(name, async () => {
      const child = this.#lender.record.openChild(name);
      return child === null ? null : this.look(child);
    });
  }

  /** Null: nothing is open, or it failed, which the user is told. */
  async #attempt(name: PodName): Promise<Reclaimed | null> {
    if (this.#closing.signal.aborted) return null;
    try {
      return await this.#lookInTurn(name);
    } catch (error) {
      this.#unknown(name, error);
      return null;
    }
  }

  #unknown(name: PodName, error: unknown): void {
    this.warnOnce(
      name,
      `Whether the child ${name} is gone could not be found out, so its loan stays open: ${messageOf(error)}`,
    );
  }

  /** Unless it was the last thing said of the child, and no look at it had an answer since. */
  warnOnce(name: PodName, text: string): void {
    if (this.#failed.get(name) === text) return;
    this.#failed.set(name, text);
    this.#lender.warn(text);
  }
}
