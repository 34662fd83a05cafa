/** The provider boundary. */
export { RequestDigest, requestDigest, sha256, toolSetDigest } from "./digest.ts";
export type {
  BeforeSend,
  BlockKind,
  FailureKind,
  Model,
  ModelEvent,
  ModelFailure,
  ModelLimits,
  ModelRequest,
  RequestHead,
  StreamOptions,
} from "./model.ts";
