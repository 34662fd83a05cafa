/** A log and events as fast as a test wants them, in place of a Pod's work: for what is about its server alone. */
import type { LogEntry } from "@yoi/base";
import { jsonOfEntry } from "@yoi/session-store";
import type { ServedPod } from "../../src/serve/served-pod.ts";
import { about } from "./support.ts";

type Watcher = Parameters<ServedPod["watch"]>[0];

export function eventfulPod() {
  const log: LogEntry[] = [];
  const watchers = new Set<Watcher>();
  const idle = {
    segment: "seg",
    session: "ses",
    generation: 0,
    epoch: 1,
    compaction: null,
    run: { state: "idle" },
    inbox: [],
    queue: [],
  };
  let turn = 0;
  const commit = () => {
    const entry: LogEntry = { seq: log.length, batch: log.length, ts: 0, kind: "segment_ready" };
    log.push(entry);
    for (const watcher of watchers) watcher.committed([entry]);
  };
  const tell = () => {
    turn += 1;
    for (const watcher of watchers) watcher.event({ type: "turn_start", turn });
  };
  for (let seq = 0; seq < 5; seq += 1) commit();
  const pod = {
    name: "p",
    about,
    driveState: "idle",
    alerts: [],
    approvals: [],
    get state() {
      return { ...idle, lastSeq: log.length - 1 };
    },
    knowsSubmission: () => false,
    watch: (watcher: Watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    records: async ({ seq: from }: { readonly seq: number }) => {
      await Promise.resolve();
      return log.slice(from).map((entry) => ({ seq: entry.seq, kind: entry.kind, json: jsonOfEntry(entry) }));
    },
  } as unknown as ServedPod;
  return { pod, log, commit, tell };
}
