/** Children: what this Pod lent and to whom: begins them, ends them, takes loans back. The one owner of that logic. */
import { messageOf, type PodName, podName, YoiError } from "@yoi/base";
import type { ChildReached, ManagementCall, PodStopped, SpawnRequest } from "@yoi/feature";
import { type ChildRecord, hostPurpose, isTheOneThatRuns } from "@yoi/pod-store";
import { writeRules } from "@yoi/scope";
import type { ChildHost } from "./child-host.ts";
import { childWithToken } from "./child-token.ts";
import { takeByEnding } from "./end-child.ts";
import { GoneWatch } from "./gone-watch.ts";
import type { Lender } from "./lender.ts";
import { takeReclaimBack, tellKept } from "./loan-notices.ts";
import { reclaim, type Reclaimed, takeNow } from "./reclaim.ts";
import { type Restored, restoreOnLoan, restoreReclaimed } from "./restore-child.ts";
import { type FormerChild, formerChild, noChild } from "./named-child.ts";
import { notifyPeer, peerOf, submissionOf, submitTo } from "./messages.ts";
import { spawnChild } from "./spawn-child.ts";
import { Turns } from "./turns.ts";

export class Children {
  readonly #lender: Lender;
  readonly #turns = new Turns();
  readonly #closing = new AbortController();
  readonly #ending = new AbortController();
  readonly #watch: GoneWatch;
  /** Reclaims that wait for room in the inbox. */
  readonly #owed = new Set<PodName>();
  /** What kept the last look at a child from an answer. */
  readonly #failed = new Map<PodName, string>();

  constructor(lender: Lender) {
    this.#lender = lender;
    this.#watch = new GoneWatch({
      ...lender.ports,
      signal: this.#closing.signal,
      mayBeEnding: async (name) => (await this.#attempt(name))?.result === "held",
    });
  }

  /** Those with an open loan, by name. */
  get open(): readonly ChildRecord[] {
    return this.#lender.record.current.children;
  }

  /** Whose token has this digest, among those with an open loan; null: nobody's. */
  childWithToken(digest: string): PodName | null {
    return childWithToken(this.open, digest);
  }

  /**
   * What an earlier owner left: each loan stays open while somebody has a lease of its tree, and comes back otherwise. To be called before anything runs: a
   * notice of each that came back is on record then. Where that cannot be found out, it stays open, and the user is told.
   */
  async reconcile(): Promise<void> {
    await Promise.all(this.open.map(({ name }) => this.#reconcileOne(name)));
  }

  /** What cannot be found out about one child is no reason to keep the Pod from its user: what is unknown stays lent. */
  async #reconcileOne(name: PodName): Promise<void> {
    const { lease, record, warn } = this.#lender;
    try {
      const looked = await this.#look(name);
      const child = this.open.find((one) => one.name === name);
      if (looked?.result !== "held" || child === undefined) return;
      const holder = await lease.owner(name);
      const isLive = holder?.alive === true && isTheOneThatRuns(holder.owner);
      // Its parent died behind its start, and before that was on record.
      if (isLive && child.state === "starting") await record.putChild({ ...child, state: "live" });
      const isHosted = isLive && holder.owner.purpose === hostPurpose;
      const unknown = isLive
        ? ""
        : ", because nobody can tell that it, or what is below it, is gone (StopPod ends it)";
      if (!isHosted) warn(`The loan of the child ${name} stays open${unknown}: ${looked.error.message}`);
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      this.#warnOnce(name, error);
    }
  }

  /** Looks once for children that are gone without anybody having heard it. Never throws. */
  async lookAround(): Promise<void> {
    for (const { name } of this.open) {
      const holder = await this.#lender.lease.owner(name).catch(() => null);
      if (holder?.alive !== true) await this.#attempt(name);
    }
  }

  /** Takes the child's loan back if it is gone; while it may be ending, looks again for a while. Resolves with the last look. Never throws. */
  checkGone(name: PodName): Promise<void> {
    return this.#watch.lookAfter(name);
  }

  /** There is room in the inbox: reclaims that waited for it go on. Never throws. */
  async roomAgain(): Promise<void> {
    const owed = [...this.#owed];
    this.#owed.clear();
    await Promise.all(owed.map((name) => this.#attempt(name)));
  }

  async spawn(request: SpawnRequest, call: ManagementCall): Promise<ChildReached> {
    return await this.#work(podName(request.name), call, (host, during) =>
      spawnChild(this.#lender, host, request, during),
    );
  }

  async send(name: string, message: string, call: ManagementCall): Promise<void> {
    const child = this.#openChild(name);
    try {
      await this.#reaching(child.name, call, (host) =>
        submitTo(host, child.name, message, submissionOf(this.#lender, "send", call)),
      );
    } catch (error) {
      if (error instanceof YoiError && error.code === "pod_unreachable") void this.checkGone(child.name);
      throw error;
    }
  }

  /** Throws pod_held where the child, or one below it, does not end: then the loan stays open. */
  async stop(name: string, call: Pick<ManagementCall, "signal">): Promise<PodStopped> {
    return await this.#work(podName(name), call, async () => this.#stop(this.#openChild(name)));
  }

  async restore(name: string, call: Pick<ManagementCall, "signal">): Promise<Restored> {
    const isOpen = this.open.some((child) => child.name === name);
    if (!isOpen && (await this.#former(name)) === null) throw this.#notMine(name);
    return await this.#work(podName(name), call, async (host, during) => {
      const lender = this.#lender;
      const open = this.open.find((child) => child.name === name);
      if (open !== undefined) {
        const looked = await this.#reclaimUnlessStored(open);
        if (looked) return restoreOnLoan(lender, host, open, during);
      }
      const before = await this.#former(name);
      if (before === null) throw this.#notMine(name);
      return restoreReclaimed(lender, host, before, during);
    });
  }

  async sendToPeer(name: string, message: string, call: ManagementCall): Promise<void> {
    const peer = peerOf(this.#lender, name);
    await this.#reaching(peer.name, call, (host) => notifyPeer(this.#lender, host, peer, message, call));
  }

  /**
   * The orderly end of this Pod: every child ends first, and those below it before it; none is begun any more. What does not end in time is killed. Gives the
   * names of those whose loan stays open, with why. Never throws.
   */
  async stopAll(): Promise<readonly { readonly name: PodName; readonly why: string }[]> {
    this.#ending.abort(this.#cancelled());
    const kept: { readonly name: PodName; readonly why: string }[] = [];
    const stop = async (name: PodName): Promise<void> => {
      try {
        await this.#turns.take(name, async () => {
          const child = this.open.find((one) => one.name === name);
          if (child !== undefined) await this.#stop(child);
        });
      } catch (error) {
        kept.push({ name, why: messageOf(error) });
      }
    };
    // One that was being begun when nothing more was to begin may still come on record, and be taken back.
    await this.#turns.ended();
    await Promise.all(this.open.map(({ name }) => stop(name)));
    return kept;
  }

  /** Nothing is begun any more; what was being begun is taken back. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort(this.#cancelled());
    await this.#turns.ended();
    await this.#watch.ended();
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

  async #stop(child: ChildRecord): Promise<PodStopped> {
    const take = takeByEnding(this.#lender);
    const reclaimed = await reclaim(this.#lender, child, { take, isOwnDoing: true });
    switch (reclaimed.result) {
      case "reclaimed":
        return { writable: writeRules(child.loan.scope), killed: reclaimed.killed };
      case "held":
        throw reclaimed.error;
      case "owed":
        this.#owed.add(child.name);
        throw new YoiError(
          "inbox_full",
          `The child ${child.name} has ended, and its loan comes back once the notices that wait for this Pod are delivered.`,
        );
    }
  }

  /** False: its metadata is gone, and its loan came back for that. */
  async #reclaimUnlessStored(child: ChildRecord): Promise<boolean> {
    const stored = await this.#lender.pods.read(child.name);
    if (stored?.pointer.session === child.session) return true;
    const { result } = await reclaim(this.#lender, child, { take: takeNow(this.#lender), isOwnDoing: false });
    return result !== "reclaimed";
  }

  #look(name: PodName): Promise<Reclaimed | null> {
    return this.#turns.take(name, async () => {
      const child = this.open.find((one) => one.name === name);
      if (child === undefined) return null;
      const looked = await reclaim(this.#lender, child, { take: takeNow(this.#lender), isOwnDoing: false });
      this.#failed.delete(name);
      if (looked.result === "owed") this.#owed.add(name);
      if (looked.result === "held") await takeReclaimBack(this.#lender, child);
      if (looked.result === "held" && !looked.isLive) await tellKept(this.#lender, child, looked.error);
      return looked;
    });
  }

  /** Null: nothing is open, or it failed, which the user is told. */
  async #attempt(name: PodName): Promise<Reclaimed | null> {
    if (this.#closing.signal.aborted) return null;
    try {
      return await this.#look(name);
    } catch (error) {
      this.#warnOnce(name, error);
      return null;
    }
  }

  #warnOnce(name: PodName, error: unknown): void {
    const why = messageOf(error);
    if (this.#failed.get(name) === why) return;
    this.#failed.set(name, why);
    this.#lender.warn(
      `Whether the child ${name} is gone could not be found out, so its loan stays open: ${why}`,
    );
  }

  #former(name: string): Promise<FormerChild | null> {
    return formerChild(this.#lender.pods, this.#lender.record.current, name);
  }

  #openChild(name: string): ChildRecord {
    const child = this.open.find((one) => one.name === name);
    if (child !== undefined) return child;
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
