/** ChildrenNow: what the children that have their loans do at this moment, as they say themselves, kept for whoever looks at the Pod. */
import { canonicalJson, inParallel, type PodName } from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";
import type { ChildNow } from "@yoi/protocol";
import { type LiveStatePorts, probing, stateOf } from "./live-state.ts";

/** How many children are asked at a time. */
const askedMax = 8;

export interface ChildrenNowParts extends LiveStatePorts {
  readonly record: () => Pick<PodRecord, "children">;
  /** Told of all of them at each change. */
  readonly shown: (children: readonly ChildNow[]) => void;
}

export class ChildrenNow {
  readonly #parts: ChildrenNowParts;
  /** What each said last, by name. */
  #said = new Map<PodName, ChildNow>();
  #told = "[]";
  #looking: Promise<void> | null = null;
  #isStale = false;
  #isClosed = false;

  constructor(parts: ChildrenNowParts) {
    this.#parts = parts;
  }

  /** By name. One that was not asked yet is `unknown`. */
  get list(): readonly ChildNow[] {
    const { children } = this.#parts.record();
    return children.map(
      ({ name }) => this.#said.get(name) ?? ({ name, state: "unknown", approvals: 0 } as const),
    );
  }

  /** Asks all of them, once for all who want it meanwhile and once more for those who came too late. Never throws. */
  look(): Promise<void> {
    this.#isStale = true;
    this.#looking ??= this.#lookUntilFresh().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Nobody is asked or told from here on; resolves when nobody is being asked. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looking;
  }

  async #lookUntilFresh(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      await this.#ask();
      this.#tell();
    }
  }

  async #ask(): Promise<void> {
    const { record, timers } = this.#parts;
    const said = await probing(timers, (signal) =>
      inParallel(record().children, askedMax, ({ name }) => this.#one(name, signal)),
    );
    this.#said = new Map(said);
  }

  async #one(name: PodName, signal: AbortSignal): Promise<readonly [PodName, ChildNow]> {
    // Whatever keeps it from answering: a view says that, and nothing else follows from it.
    const seen = await stateOf(name, this.#parts, signal).catch(() => null);
    const { state, approvals } = seen ?? { state: "unknown", approvals: 0 };
    return [name, { name, state, approvals }];
  }

  #tell(): void {
    if (this.#isClosed) return;
    const { list } = this;
    const text = canonicalJson(list);
    if (text === this.#told) return;
    this.#told = text;
    this.#parts.shown(list);
  }
}
