/** The provider boundary. */
export type { AdapterOptions, OpenAdapter } from "./adapter-options.ts";
export { kindOfAdapter } from "./adapters.ts";
export type { KeyNeed, ProviderEntry } from "./catalog.ts";
export type { ModelEntry } from "./catalog/entry.ts";
export {
  contextWindowDefault,
  findModel,
  findProvider,
  models,
  outputMaxDefault,
  priceAt,
  providers,
} from "./catalog.ts";
export { RequestDigest, requestDigest, sha256, toolSetDigest } from "./digest.ts";
export type { IdleLimits } from "./idle-timeout.ts";
export { idleLimits, withIdleTimeout } from "./idle-timeout.ts";
export {
  isPruned,
  isQuarantined,
  leftOutLine,
  prunedContentBytesMin,
  prunedItem,
} from "./lowering/left-out.ts";
export type { KnownLimit, LimitBoard } from "./limit-board.ts";
export { limitMsMax, withLimitBoard } from "./limit-board.ts";
export { loweringVersion } from "./lowering/lower.ts";
export { escapeNotes } from "./lowering/note.ts";
export { ownMetadata } from "./lowering/own-metadata.ts";
export type {
  BeforeSend,
  BlockKind,
  FailedUsage,
  FailureKind,
  Model,
  ModelCapabilities,
  ModelEvent,
  ModelFailure,
  ModelLimits,
  ModelRequest,
  RequestHead,
  StreamOptions,
} from "./model.ts";
export type { ListedModel, ListModelsOptions } from "./openai-compatible/list-models.ts";
export { listModels, modelListBytesMax, modelListTimeoutMs } from "./openai-compatible/list-models.ts";
export type { KnownModel, ModelFacts, ModelQuestion } from "./known-model.ts";
export { knownModel } from "./known-model.ts";
export type { ModelPorts, OpenedModel, OpenModelOptions } from "./open-model.ts";
export { openModel } from "./open-model.ts";
export type { RetryPolicy, RetryPorts } from "./retry.ts";
export { retryPolicy, retryWaitMs, withRetry } from "./retry.ts";
export type { Position } from "./scripted/position.ts";
export { positionOf } from "./scripted/position.ts";
export { withStream } from "./wrap.ts";
