/** Children: what is done about them on request: begun, spoken to, stopped, restored; and all of them ended with this Pod. */
import { messageOf, type PodName, podName, YoiError } from "@yoi/base";
import type { ChildReached, ManagementCall, PodStopped, SpawnRequest } from "@yoi/feature";
import type { ChildRecord } from "@yoi/pod-store";
import { writeRules } from "@yoi/scope";
import type { ChildHost } from "./child-host.ts";
import { takeByEnding } from "./end-child.ts";
import type { Lender } from "./lender.ts";
import type { LoanWatch } from "./loan-watch.ts";
import { assertBound } from "./looser-child.ts";
import { notifyPeer, peerOf, submissionOf, submitTo } from "./messages.ts";
import { type FormerChild, formerChild, noChild } from "./named-child.ts";
import { giveOwedTask } from "./owed-task.ts";
import { reclaim } from "./reclaim.ts";
import { type Restored, restoreOnLoan, restoreReclaimed } from "./restore-child.ts";
import { isMeant } from "./same-pod.ts";
import { spawnChild } from "./spawn-child.ts";
import type { Turns } from "./turns.ts";

/** What became of the children of a Pod that ends. */
export interface StoppedChildren {
  /** Those whose loan stays open, with why. */
  readonly kept: readonly { readonly name: PodName; readonly why: string }[];
  /** Those, and Pods below them, that did not end in time and were killed for it. */
  readonly killed: readonly string[];
}

export class Children {
  readonly #lender: Lender;
  readonly #turns: Turns;
  readonly #watch: LoanWatch;
  readonly #closing = new AbortController();
  readonly #ending = new AbortController();

  /** The turns are those of the watch. */
  constructor(lender: Lender, turns: Turns, watch: LoanWatch) {
    this.#lender = lender;
    this.#turns = turns;
    this.#watch = watch;
  }

  /** Those with an open loan, by name. */
  get open(): readonly ChildRecord[] {
    return this.#lender.record.current.children;
  }

  async spawn(request: SpawnRequest, call: ManagementCall): Promise<ChildReached> {
    return await this.#work(podName(request.name), call, (host, during) =>
      spawnChild(this.#lender, host, request, during),
    );
  }

  async send(name: string, message: string, call: ManagementCall): Promise<void> {
    const child = this.#openChild(name);
    await assertBound(this.#lender, child);
    // What it was begun for comes first.
    await this.#giveOwed(child);
    try {
      await this.#reaching(child.name, call, (host) =>
        submitTo(host, child.name, message, submissionOf(this.#lender, "send", call)),
      );
    } catch (error) {
      if (error instanceof YoiError && error.code === "pod_unreachable")
        void this.#watch.checkGone(child.name);
      throw error;
    }
  }

  /** Throws pod_held where the child, or one below it, does not end: then the loan stays open. */
  async stop(name: string, call: Pick<ManagementCall, "signal">): Promise<PodStopped> {
    return await this.#work(podName(name), call, async () => this.#stop(this.#openChild(name)));
  }

  async restore(name: string, call: Pick<ManagementCall, "signal">): Promise<Restored> {
    const { record } = this.#lender;
    if (record.openChild(name) === null && (await this.#former(name)) === null) throw this.#notMine(name);
    return await this.#work(podName(name), call, async (host, during) => {
      const lender = this.#lender;
      const open = record.openChild(name);
      if (open !== null && !(await this.#cameBack(open))) return restoreOnLoan(lender, host, open, during);
      const before = await this.#former(name);
      if (before === null) throw this.#notMine(name);
      return restoreReclaimed(lender, host, before, during);
    });
  }

  async sendToPeer(name: string, message: string, call: ManagementCall): Promise<void> {
    const peer = peerOf(this.#lender, name);
    await this.#reaching(peer.name, call, (host) => notifyPeer(this.#lender, host, peer, message, call));
  }

  /** Gives children the tasks that they are owed since an earlier owner of this Pod died; tried again with each look. Never throws. */
  async giveOwed(): Promise<void> {
    await Promise.all(this.open.map((child) => this.#giveOwed(child)));
  }

  /**
   * The orderly end of this Pod: every child ends first, and those below it before it; none is begun any more. What does not end in time is killed. Never
   * throws.
   */
  async stopAll(): Promise<StoppedChildren> {
    this.#ending.abort(this.#cancelled());
    const kept: { readonly name: PodName; readonly why: string }[] = [];
    const killed: string[] = [];
    const stop = async (name: PodName): Promise<void> => {
      try {
        await this.#turns.take(name, async () => {
          const child = this.#lender.record.openChild(name);
          if (child !== null) killed.push(...(await this.#stop(child)).killed);
        });
      } catch (error) {
        kept.push({ name, why: messageOf(error) });
      }
    };
    // One that was being begun when nothing more was to begin may still come on record, and be taken back.
    await this.#turns.ended();
    await Promise.all(this.open.map(({ name }) => stop(name)));
    return { kept, killed };
  }

  /** Nothing is begun any more; what was being begun is taken back. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort(this.#cancelled());
    await this.#turns.ended();
  }

  /** In the child's turn, cancelled by the caller, by the end of the children and by that of the Pod. */
  #work<T>(
    name: PodName,
    call: Pick<ManagementCall, "signal">,
    work: (host: ChildHost, during: ManagementCall) => Promise<T>,
  ): Promise<T> {
    return this.#turns.take(name, () =>
      this.#reaching(name, call, (host, signal) => work(host, { call: "", ...call, signal })),
    );
  }

  async #reaching<T>(
    name: PodName,
    { signal: asked }: Pick<ManagementCall, "signal">,
    work: (host: ChildHost, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { host } = this.#lender;
    if (host === null) {
      throw new YoiError(
        "pod_unreachable",
        `This process takes no clients, so it reaches no other Pod, and ${name} is left as it is: host this Pod with \`yoi pod start\`.`,
      );
    }
    const signal = AbortSignal.any([asked, this.#ending.signal, this.#closing.signal]);
    signal.throwIfAborted();
    return await work(host, signal);
  }

  async #giveOwed({ name, task }: ChildRecord): Promise<void> {
    const { host, record } = this.#lender;
    if (task === undefined || host === null) return;
    try {
      await this.#turns.take(name, async () => {
        const child = record.openChild(name);
        const isOver = this.#ending.signal.aborted || this.#closing.signal.aborted;
        if (child !== null && !isOver) await giveOwedTask(this.#lender, host, child);
      });
    } catch (error) {
      this.#watch.warnOnce(name, `The child ${name} was not given its task yet: ${messageOf(error)}`);
    }
  }

  async #stop(child: ChildRecord): Promise<PodStopped> {
    const take = takeByEnding(this.#lender);
    const reclaimed = await reclaim(this.#lender, child, { take, isOwnDoing: true });
    switch (reclaimed.result) {
      case "reclaimed":
        return { writable: writeRules(child.loan.scope), killed: reclaimed.killed };
      case "held":
        throw reclaimed.error;
      case "owed":
        this.#watch.owe(child.name);
        throw new YoiError(
          "inbox_full",
          `The child ${child.name} has ended, and its loan comes back once the notices that wait for this Pod are delivered.`,
        );
    }
  }

  /** Its metadata is gone, so nobody can be started on its loan. */
  async #cameBack(child: ChildRecord): Promise<boolean> {
    if (isMeant(await this.#lender.pods.read(child.name), child)) return false;
    return (await this.#watch.look(child)).result === "reclaimed";
  }

  #former(name: string): Promise<FormerChild | null> {
    return formerChild(this.#lender.pods, this.#lender.record.current, name);
  }

  #openChild(name: string): ChildRecord {
    const child = this.#lender.record.openChild(name);
    if (child !== null) return child;
    throw this.#notMine(name);
  }

  #notMine(name: string): YoiError {
    const before = this.#lender.record.current.reclaimed.find((child) => child.name === name);
    if (before === undefined) return noChild(this.#lender.name, name);
    return new YoiError(
      "child_unknown",
      `The child ${name} does not live, and its loan came back already (${before.reason}): RestorePod starts it again.`,
    );
  }

  #cancelled(): YoiError {
    return new YoiError(
      "cancelled",
      `The Pod ${this.#lender.name} is closing: nothing more is done about other Pods.`,
    );
  }
}
