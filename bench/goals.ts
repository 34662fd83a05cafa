/** What is aimed at. Each is judged against a figure of the same run, or against itself where it is a size. */

const mebibyte = 1024 * 1024;

export const goals = {
  /** What a step may cost over the raw loop, one shell start included; with a sandbox one bare start of bubblewrap more. */
  gapOverBaselineMs: 3,
  /** Late steps over early ones: this many times what the raw loop shows, or `lateOverEarly`, whichever is more. */
  lateOverBaselines: 1.15,
  lateOverEarly: 1.3,
  /** `yoi --version` over `node -e 0` of the same Node. */
  versionOverNode: 1.5,
  startToFirstRequestMs: 120,
  resumeToFirstRequestMs: 160,
  /** Resident, at its highest, by the number of steps. */
  peakBytes: new Map([
    [50, 120 * mebibyte],
    [300, 200 * mebibyte],
  ]),
  recordedBytesPerStep: 2000,
  replayMs: 1000,
  replayPeakBytes: 300e6,
  appendsPerSecond: 50_000,
  /** Of 10 features with 20 hooks, over a step without any. */
  featuresPerStepMs: 1,
  /** Of 50 features. */
  installMs: 50,
  /** From a ping to its answer, over the socket of a hosted Pod. */
  echoMs: 0.2,
  /** From connecting to being up to date with 20,000 entries. */
  attachMs: 300,
  /** What the hosting process grows by while 1,000,000 events go to three clients, one of which reads nothing, over what the same run takes without clients. */
  floodGrowthBytes: 64 * mebibyte,
  /** Of an idle hosted Pod beside another one. */
  idlePrivateBytes: 40 * mebibyte,
  idleResidentBytes: 90 * mebibyte,
  /** From the call of SpawnPod to a child that takes clients and has its task, over `node -e 0`. */
  spawnOverNodeMs: 150,
  /** Of each of 50 Pods that are hosted at once. */
  crowdPrivateBytes: 40 * mebibyte,
  /** Of a path by an effective scope of 200 rules. */
  decisionUs: 5,
  /** In the registry, without the child's process: so many milliseconds or so many times one fdatasync, whichever is more. */
  delegateAndReclaimMs: 5,
  delegateAndReclaimSyncs: 16,
  /** Of a session of many steps: step 2,000 over step 100. */
  stepLateOverEarly: 1.5,
  /** Opening a Pod that left many segments, over one that has only the open one. */
  restoreOverFresh: 1.2,
  restoreResidentOverFresh: 1.1,
  /** Without the model. */
  compactionMs: 500,
  /** Of the processor, for 400 updates of 40 live rows. */
  drawMs: 300,
  /** From the start of the program to its first frame. */
  firstPaintMs: 200,
  /** From the start of the program to the end of a Pod with 20,000 entries on the screen, and what it has resident at most. */
  openMs: 300,
  openPeakBytes: 150e6,
  /** Of a hundred keys all but one, while 2,000 tokens a second arrive. */
  echoOfKeyMs: 16,
  /** Written for an update in which one row of 100 columns changes. */
  rowBytes: 256,
  /** `yoi pod list`, with 2 GB of segments. */
  listMs: 200,
} as const;

/** A resume is judged with this much history. */
export const resumeSteps = 300;
