/** A named Worker: identity, log, scope, policy and the one state machine that drives it. */
export type { Alert } from "./alert/alerts.ts";
export type { ApprovalAnswer } from "./approval/approvals.ts";
export { approvalMs } from "./approval/approvals.ts";
export type { Granting } from "./approval/granting.ts";
export { pendingOf } from "./approval/pending.ts";
export type { KeptRule } from "./policy/kept-rule.ts";
export { parseKeptRule } from "./policy/kept-rule.ts";
export type { PodEvent, PodObserver } from "./drive/pod-event.ts";
export type { CachedRequest, CacheReport, CacheStanding } from "./discovery/cache-report.ts";
export { cacheReport } from "./discovery/cache-report.ts";
export { describeEntry } from "./discovery/describe-entry.ts";
export { parseEntryId } from "./timeline/find-entry.ts";
export {
  readTimelineSegment,
  refOfOrigin,
  type Timeline,
  type TimelineSegment,
  timelineOf,
} from "./timeline/timeline.ts";
export type { DiscoveryStores, LiveOwner, PodStatus } from "./discovery/find-pod.ts";
export {
  activeSegment,
  findNamed,
  findPod,
  isUnreadable,
  readActive,
  statusOf,
} from "./discovery/find-pod.ts";
export { isoTime } from "./discovery/iso-time.ts";
export type { PodSummary } from "./discovery/list-pods.ts";
export { listPods } from "./discovery/list-pods.ts";
export type { RemovedPod } from "./discovery/remove-pod.ts";
export { openApprovals } from "./discovery/open-approvals.ts";
export { removePod } from "./discovery/remove-pod.ts";
export { type ForkedPod, forkPod, type ForkRequest } from "./discovery/fork-pod.ts";
export { rewindClosed, targetsOf, undoCompactionClosed } from "./discovery/rewind-closed.ts";
export { type ListedTargets, type RewindTarget, targetsDefault, targetsMax } from "./rewind/list-targets.ts";
export { doneSince, type DoneSince } from "./rewind/done-since.ts";
export type { FileTold, ToldFile } from "./rewind/file-chains.ts";
export type { RewindRequest, Rewound } from "./rewind/rewinder.ts";
export type { UndoneCompaction } from "./rewind/undo-compaction.ts";
export type { CompactionReport } from "./compact/compaction.ts";
export type { Standing } from "./discovery/kinship.ts";
export type { LentTo, Spending, TreePod, TreeState, TreeStores } from "./discovery/tree.ts";
export { podTree, standingOf } from "./discovery/tree.ts";
export type { PodUsage, SegmentPart, SegmentUsage, UsageOptions, UsageStores } from "./discovery/usage.ts";
export { podUsage, totalSpent, treeSpent } from "./discovery/usage.ts";
export type { SegmentReport, VerifyReport, VerifyStores } from "./discovery/verify-pod.ts";
export { verifyPod } from "./discovery/verify-pod.ts";
export type { VerifyOptions, VerifyProblem } from "./discovery/verify-segment.ts";
export { checkedTitle, setTitleClosed } from "./discovery/title.ts";
export type { Lineage, LineageSegment } from "./discovery/lineage.ts";
export { lineageOf } from "./discovery/lineage.ts";
export type { BegunRun, Submitted } from "./drive/begun-run.ts";
export type { BeginOptions, DriveEvent, RunLimits } from "./drive/drive.ts";
export type { RunReport } from "./drive/run-report.ts";
export { checkAuthority } from "./feature/check-authority.ts";
export type { FeatureApproval, FeatureHost } from "./feature/feature-host.ts";
export { type SwitchedOff, switchedOffBy } from "./feature/switched-off.ts";
export type { TryRequest } from "./feature/try-install.ts";
export { tryFeatures } from "./feature/try-install.ts";
export type { Notice, Sending } from "./inbox/inbox.ts";
export type { Accepted } from "./inbox/submissions.ts";
export {
  drainedBytesMax,
  inboxMax,
  noticeBytesMax,
  noticeReasonCharsMax,
  noticeSourceCharsMax,
} from "./inbox/inbox.ts";
export { type QueuedInput, queueBytesMax, queueMax } from "./turn/input-queue.ts";
export type { PodSnapshot } from "./pod.ts";
export { Pod } from "./pod.ts";
export { tokenDigest } from "./spawn/child-token.ts";
export type { ChildHost, ChildManifestRequest, ReachedPod } from "./spawn/child-host.ts";
export { allocationOf } from "./spawn/allocate.ts";
export { type Lent, lentTo } from "./spawn/lent-to.ts";
export { depthMax } from "./spawn/lender.ts";
export type { OpenPodOptions, PodPorts, PodSetup } from "./pod-options.ts";
export type { PermissionDenial } from "./policy/denials.ts";
export { PermissionGate } from "./policy/permission-gate.ts";
export { rulesWithoutEffect } from "./policy/rules-without-effect.ts";
export type { DocumentReader, LoadedDocument, LoadedDocuments } from "./prompt/documents.ts";
export { documentDirectories, loadDocuments } from "./prompt/documents.ts";
export type { ListedSkill } from "./prompt/skills-section.ts";
export { renderSystemPrompt } from "./prompt/system-prompt.ts";
export { createAuthorizer } from "./serve/authorizer.ts";
export { liveOf } from "./serve/live-event.ts";
export { skillOffers } from "./serve/skill-offers.ts";
export type { Authorize, Caller, PodServer, ServeOptions } from "./serve/serve-options.ts";
export type { SessionSeed } from "./restore/open-session.ts";
export { featuresDomain } from "./restore/open-session.ts";
export { withoutArriving } from "./usage/arriving.ts";
