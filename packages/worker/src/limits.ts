/** WorkerLimits: everything in the loop that has a limit, with its name and unit. */

export interface WorkerLimits {
  /** Bytes of a result's summary, errors included. */
  readonly summaryBytesMax: number;
  /** Bytes of a result's content. */
  readonly contentBytesMax: number;
  /** Images of a result. */
  readonly imagesMax: number;
  /** Bytes of base64 of a result's images. */
  readonly imageBytesMax: number;
  /** Bytes of a result's record as JSON. */
  readonly recordBytesMax: number;
  /** Calls of one batch that run at a time. */
  readonly parallelCallsMax: number;
  /** Broken answers in a row that are continued. */
  readonly continuationsMax: number;
  /** What has arrived of an open answer is on record at most this much later. */
  readonly partialIntervalMs: number;
  /** Or as soon as this many bytes wait. */
  readonly partialBytesMax: number;
  /** How long a cancelled tool or stream may take to settle before it is given up. */
  readonly cancelGraceMs: number;
  /** The longest wait that a provider may ask for in the middle of an answer; beyond it the run pauses. */
  readonly retryWaitMsMax: number;
}

export const defaultLimits: WorkerLimits = Object.freeze({
  summaryBytesMax: 2 * 1024,
  contentBytesMax: 64 * 1024,
  imagesMax: 4,
  imageBytesMax: 6 * 1024 * 1024,
  recordBytesMax: 32 * 1024,
  parallelCallsMax: 8,
  continuationsMax: 3,
  partialIntervalMs: 250,
  partialBytesMax: 4 * 1024,
  cancelGraceMs: 5_000,
  retryWaitMsMax: 300_000,
});
