/** Runs LLM turns over committed history and tools. */
export { closingEntries, countSaid, endsInWholeAnswer, resumingEntries } from "./closing.ts";
export { ContextEstimate } from "./context-size.ts";
export type { History, WaitingCall } from "./history.ts";
export type { ItemSize } from "./item-size.ts";
export {
  addSize,
  bytesPerToken,
  bytesPerTokenDefault,
  bytesPerTokenMin,
  estimateTokens,
  imageTokens,
  noSize,
  sizeOfItem,
  sizeShown,
} from "./item-size.ts";
export { leaveOutAll } from "./leave-out.ts";
export type { WorkerLimits } from "./limits.ts";
export { defaultLimits } from "./limits.ts";
export type {
  AfterResultDecision,
  ApprovalDecision,
  AskedApproval,
  CallView,
  ContextSize,
  GateDecision,
  LoopPoints,
  PreRequestDecision,
  PreRequestView,
  TurnEndDecision,
  TurnEndView,
} from "./loop-points.ts";
export { noPoints } from "./loop-points.ts";
export type { ParsedArguments } from "./parse-arguments.ts";
export { parseArguments } from "./parse-arguments.ts";
export type { RunFailure, RunOutcome, YieldedBy } from "./outcome.ts";
export { limitWaits, pauseWaitMs } from "./pause.ts";
export type { Pruned, PruneLimits, PruneView } from "./prune.ts";
export { nextPrune, savingsOfResentMin } from "./prune.ts";
export type { BuiltRequest } from "./request.ts";
export { buildRequest, RequestBuilder } from "./request.ts";
export { told } from "./settle.ts";
export { ToolTable } from "./tool-table.ts";
export type { RunOptions, WorkerOptions } from "./worker.ts";
export { Worker } from "./worker.ts";
export type { WorkerEvent, WorkerObserver } from "./worker-event.ts";
export type { BudgetCheck, WorkerHead } from "./worker-parts.ts";
