/** Runs LLM turns over committed history and tools. */
export type { History } from "./history.ts";
export type {
  AfterResultDecision,
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
export type { RunOutcome } from "./outcome.ts";
export type { WorkerEvent, WorkerObserver } from "./worker-event.ts";
