/** What the server of a Pod gets of it. */
import { type PodName, YoiError } from "@yoi/base";
import { completionsMax, type PodAbout } from "@yoi/protocol";
import { compactNow, undoCompactionNow } from "./compact-now.ts";
import type { PodParts } from "./open-pod.ts";
import { targetsDefault } from "./rewind/list-targets.ts";
import { SegmentTrail } from "./serve/segment-trail.ts";
import type { ServedPod } from "./serve/served-pod.ts";
import { rewindTargets, takeBack } from "./take-back.ts";

/** Paths that are offered where nobody says how many. */
const completionsDefault = 50;

export function servedPod(name: PodName, about: PodAbout, parts: PodParts): ServedPod {
  const { session, submissions, drive, alerts, approvals, sessions } = parts;
  const { gate } = session;
  const trail = new SegmentTrail({ gate, sessions });
  return {
    name,
    about,
    get state() {
      return gate.state;
    },
    get driveState() {
      return drive.state;
    },
    get alerts() {
      return alerts.last;
    },
    get approvals() {
      return approvals.pending;
    },
    get present() {
      return parts.present();
    },
    knowsSubmission: (submission) => submissions.knows(submission),
    begin: (input, options) => drive.begin(input, options),
    beginResume: (limits) => drive.beginResume(limits),
    notify: (notice) => parts.notify(notice),
    queue: (input) => parts.queue(input),
    unqueue: (id) => parts.unqueue(id),
    stop: (kind, run) => drive.stop(kind, run),
    answerApproval: (answer) => approvals.answer(answer),
    hear: parts.hear,
    // Nobody waits for it but who asked, and the end of the Pod cuts it short.
    restoreChild: (child) => parts.children.restore(child, { signal: new AbortController().signal }),
    setPeer: async (peer, isPeer) => {
      if (peer === name) throw new YoiError("usage", `${name} cannot be its own peer: name another Pod.`);
      await session.record.setPeer(peer, isPeer);
    },
    setTitle: parts.setTitle,
    completePath: ({ prefix, limit = completionsDefault }) =>
      parts.completePath?.(prefix, Math.min(limit, completionsMax)) ??
      Promise.resolve({ entries: [], more: false }),
    runCommand: (command, submission) => parts.commands.run(command, submission),
    stopCommand: (id) => parts.commands.stop(id),
    listRewindTargets: ({ limit = targetsDefault, older_than }) =>
      rewindTargets(parts, { limit, ...(older_than === undefined ? {} : { olderThan: older_than }) }),
    rewind: async ({ id, side, expected_head, files = false }) => {
      const head = expected_head === undefined ? {} : { expectedHead: expected_head };
      const { filesLost, ...rewound } = await takeBack(parts, { id, side, files, ...head });
      return { ...rewound, files_lost: filesLost };
    },
    compact: async () => {
      const report = await compactNow(parts);
      return {
        segment: report.segment,
        from: report.from,
        tokens_before: report.tokensBefore,
        tokens_after: report.tokensAfter,
        items_before: report.itemsBefore,
        items_after: report.itemsAfter,
        items_kept: report.itemsKept,
        by_model: report.isByModel,
      };
    },
    undoCompaction: () => undoCompactionNow(parts),
    watch: parts.watch,
    since: (segment) => trail.since(segment),
    records: (from) => trail.records(from),
  };
}
