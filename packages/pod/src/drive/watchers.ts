/** Watchers: who is told what happens in a Pod beside the observer that it was opened with: any number, who come and go. */
import type { LogEntry } from "@yoi/base";
import type { Live } from "@yoi/protocol";
import { told } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import type { PodEvent, PodObserver } from "./pod-event.ts";

export interface Watcher {
  /** Told of every batch once it is durable and in history. */
  readonly committed: (entries: readonly LogEntry[]) => void;
  readonly event: (event: PodEvent) => void;
  /** History goes on in another segment, which begins with these entries. */
  readonly rotated?: (entries: readonly LogEntry[]) => void;
  /** Something that a view shows beside history is another one now. */
  readonly shown?: (live: ShownLive) => void;
}

export type ShownLive = Extract<
  Live,
  { readonly type: "title" | "command_output" | "panel" | "spent" | "children" }
>;

/** What a watcher throws is ignored: it cannot change a run. */
export class Watchers {
  readonly #observer: PodObserver;
  readonly #watchers = new Set<Watcher>();

  constructor(observer: PodObserver) {
    this.#observer = observer;
  }

  /** Stands where the observer would. */
  readonly observe: PodObserver = (event) => {
    told(() => this.#observer(event));
    for (const watcher of this.#watchers) told(() => watcher.event(event));
  };

  show(live: ShownLive): void {
    for (const watcher of this.#watchers) told(() => watcher.shown?.(live));
  }

  /** @returns how to stop watching. */
  watch(gate: HistoryGate, watcher: Watcher): () => void {
    const unheard = gate.onCommit((entries) => told(() => watcher.committed(entries)));
    const unturned = gate.onRotate((entries) => told(() => watcher.rotated?.(entries)));
    this.#watchers.add(watcher);
    return () => {
      unheard();
      unturned();
      this.#watchers.delete(watcher);
    };
  }
}
