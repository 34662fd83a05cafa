/** A named Worker: identity, log, scope, policy and the one state machine that drives it. */
export { describeEntry } from "./discovery/describe-entry.ts";
export type { DiscoveryStores, PodStatus } from "./discovery/find-pod.ts";
export { activeSegment, findPod, readActive, statusOf } from "./discovery/find-pod.ts";
export { isoTime } from "./discovery/iso-time.ts";
export type { PodSummary } from "./discovery/list-pods.ts";
export { listPods } from "./discovery/list-pods.ts";
export type { RemovedPod } from "./discovery/remove-pod.ts";
export { removePod } from "./discovery/remove-pod.ts";
export type { VerifyOptions, VerifyProblem, VerifyReport } from "./discovery/verify-pod.ts";
export { verifyPod } from "./discovery/verify-pod.ts";
export type { DriveState, RunLimits, RunReport } from "./drive/drive.ts";
export type { OpenPodOptions, PodPorts, PodSetup, PodSnapshot } from "./pod.ts";
export { Pod } from "./pod.ts";
export type { PermissionDenial } from "./policy/denials.ts";
export type { DocumentReader, LoadedDocument, LoadedDocuments } from "./prompt/documents.ts";
export { documentDirectories, loadDocuments } from "./prompt/documents.ts";
export { renderSystemPrompt } from "./prompt/system-prompt.ts";
export type { SessionSeed } from "./restore/open-session.ts";
