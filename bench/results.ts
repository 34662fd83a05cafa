/** All that one bench run measured, and the figures that are taken from it. */
import type { ChildrenResults } from "./children.ts";
import type { TerminalResults } from "./terminal.ts";
import type { TreeResults } from "./tree.ts";
import type { FeatureResults } from "./features.ts";
import type { LongResults } from "./long.ts";
import type { Machine } from "./machine.ts";
import type { Run } from "./measure.ts";
import type { ServiceResults } from "./service.ts";
import type { Starts } from "./starts.ts";
import type { StoreResults } from "./store.ts";
import { summary, type Summary } from "./summary.ts";

export interface Row {
  readonly name: string;
  readonly runs: readonly Run[];
}

export interface Loop {
  readonly steps: number;
  readonly rows: readonly Row[];
}

export interface Scan {
  readonly directories: number;
  readonly gapsMs: readonly number[];
}

export interface Results {
  readonly machine: Machine;
  readonly loops: readonly Loop[];
  readonly first: Loop | null;
  readonly starts: Starts | null;
  readonly store: StoreResults | null;
  readonly scan: readonly Scan[] | null;
  readonly features: FeatureResults | null;
  readonly terminal: TerminalResults | null;
  readonly service: ServiceResults | null;
  readonly children: ChildrenResults | null;
  readonly tree: TreeResults | null;
  readonly long: LongResults | null;
  readonly loadAtEnd: number;
}

export function gaps({ runs }: Row): Summary {
  return summary(runs.flatMap((run) => run.gapsMs));
}

/** Of each run its last sixth over its first sixth, by medians. */
export function lateOverEarly({ runs }: Row): Summary {
  return summary(
    runs.map(({ gapsMs }) => {
      const part = Math.ceil(gapsMs.length / 6);
      return summary(gapsMs.slice(-part)).median / summary(gapsMs.slice(0, part)).median;
    }),
  );
}

export function firstRequest({ runs }: Row): Summary {
  return summary(runs.map((run) => run.startToFirstRequestMs));
}

/** Null: the subject does not resume. */
export function resume({ runs }: Row): Summary | null {
  const all = runs.flatMap((run) => run.resumeToFirstRequestMs);
  return all.length === 0 ? null : summary(all);
}

export function peak({ runs }: Row): Summary {
  return summary(runs.map((run) => run.peakBytes));
}

export function recordedPerStep({ runs }: Row, steps: number): Summary {
  return summary(runs.map((run) => run.recordedBytes / steps));
}
