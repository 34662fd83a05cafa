/** OwnRuns: how the runs of a Pod ended that a notice began, told apart from those that somebody asked for. */
import { entryId, type InvokeTrigger, isKnown, type LogEntry } from "@yoi/base";
import type { PodEvent, RunReport } from "@yoi/pod";

const ownTriggers: ReadonlySet<InvokeTrigger> = new Set(["notify", "pod_event"]);

export class OwnRuns {
  readonly reports: RunReport[] = [];
  readonly failures: unknown[] = [];
  #generation = 0;
  readonly #invokes = new Set<string>();

  readonly committed = (entries: readonly LogEntry[]): void => {
    for (const entry of entries) {
      if (!isKnown(entry)) continue;
      if (entry.kind === "segment_start") this.#generation = entry.generation ?? 0;
      if (entry.kind === "invoke" && ownTriggers.has(entry.trigger))
        this.#invokes.add(entryId(this.#generation, entry.seq));
    }
  };

  readonly observe = (event: PodEvent): void => {
    if (event.type === "run_ended" && event.run !== null && this.#invokes.has(event.run))
      this.reports.push(event.report);
    // Who asked for a run that did not come on record is told by the throw, and nobody else.
    if (event.type === "run_failed" && (event.run === null || this.#invokes.has(event.run)))
      this.failures.push(event.error);
  };
}
