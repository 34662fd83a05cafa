/** One iteration of the loop, steps 1 to 10. */
import { costOf, cutUtf8, type LlmRequest, messageOf, noUsage } from "@yoi/base";
import type { ModelFailure } from "@yoi/model";
import { commitBroken, commitComplete } from "./commit-answer.ts";
import { leaveOut } from "./leave-out.ts";
import type { TurnEndDecision } from "./loop-points.ts";
import type { RunOutcome } from "./outcome.ts";
import { continuationWaitMs, pauseFor } from "./pause.ts";
import { prepare } from "./prepare.ts";
import { Cancelled, raced, throwIfCancelled } from "./settle.ts";
import { type AnswerEnd, type StreamedAnswer, streamAnswer } from "./stream-answer.ts";
import { runToolBatch } from "./tool-batch.ts";
import type { Run, WorkerParts } from "./worker-parts.ts";

export const previewBytesMax = 512;

/** The outcome of the run, or null: another iteration follows. */
export async function turn(parts: WorkerParts, run: Run): Promise<RunOutcome | null> {
  throwIfCancelled(run.signal);
  if (run.continuations === 0) parts.observe({ type: "turn_start", turn: run.turnsBefore + run.turns });
  // Before anything is drained or asked of hooks for a request that is not made.
  const instead = (await overBudget(parts, run)) ?? (await prepare(parts, run));
  return instead ?? answered(parts, run);
}

async function overBudget({ budget }: WorkerParts, run: Run): Promise<RunOutcome | null> {
  if (budget === null) return null;
  const reached = await raced(run.signal, budget);
  return reached === null ? null : { kind: "limit_reached", limit: "budget", ...reached };
}

/** Steps 5 to 10. */
async function answered(parts: WorkerParts, run: Run): Promise<RunOutcome | null> {
  const streamed = await ask(parts, run);
  return streamed.end.kind === "finish"
    ? afterFinish(parts, run, { ...streamed, end: streamed.end })
    : afterBreak(parts, run, streamed);
}

/** Steps 5 and 6. */
function ask(parts: WorkerParts, run: Run): Promise<StreamedAnswer> {
  const { history, model, tools, builder } = parts;
  const config = parts.head.config();
  const head = { system: parts.head.system, tools: tools.definitions, config };
  const { request, digest } = builder.build(head, history.items, history.projection);
  const through = history.items.at(-1)?.seq ?? history.lastSeq;
  const { tokens } = parts.estimate.of(history);
  const price = model.price();
  const cost = price === null ? {} : { cost_nano_usd: costOf({ ...noUsage, input_tokens: tokens }, price) };
  return streamAnswer(parts, run.signal, {
    request,
    record: (wire): LlmRequest => ({
      kind: "llm_request",
      through,
      items: request.items.length,
      projection: request.projection,
      tools: tools.digest,
      config,
      adapter: model.adapter,
      lowering: model.lowering,
      digest,
      wire,
      estimate: { tokens, ...cost },
    }),
  });
}

type Finished = StreamedAnswer & { readonly end: Extract<AnswerEnd, { kind: "finish" }> };

/** Steps 7 to 10. */
async function afterFinish(parts: WorkerParts, run: Run, streamed: Finished): Promise<RunOutcome | null> {
  const { request, answer, end } = streamed;
  if (request === null) throw new Error("the model answered a request that is not on record");
  const { answer: committed } = await commitComplete(parts, {
    request,
    answer,
    finish: end.reason,
    usage: end.usage,
  });
  if (committed === null) return { kind: "failed", failure: emptyAnswer(parts, end.reason) };
  run.turns += 1;
  run.continuations = 0;
  const text = run.keptText + committed.text;
  run.keptText = "";
  throwIfCancelled(run.signal);
  if (!answer.hasCalls) return endTurn(parts, run, text);
  const instead = await runToolBatch(parts, run, committed.calls);
  if (instead !== null) return instead;
  const { maxTurns } = run;
  if (maxTurns !== null && run.turns >= maxTurns)
    return { kind: "limit_reached", limit: "turns", max: maxTurns };
  return null;
}

/** Step 10. What a turn-end hook throws is a diagnostic: the answer is there. */
export async function endTurn(parts: WorkerParts, run: Run, text: string): Promise<RunOutcome> {
  let decision: TurnEndDecision;
  try {
    const finalTextPreview = cutUtf8(text, previewBytesMax);
    const view = { turn: run.turns, toolCallsThisRun: run.toolCalls, finalTextPreview };
    decision = await raced(run.signal, () => parts.points.turnEnd(view, run.signal));
  } catch (thrown) {
    if (thrown instanceof Cancelled) throw thrown;
    parts.observe({ type: "warning", text: `a turn-end hook failed: ${messageOf(thrown)}` });
    decision = { action: "finish" };
  }
  return decision.action === "finish"
    ? { kind: "finished", text }
    : { kind: "paused", reason: "hook", detail: decision.reason };
}

/** An answer that broke off, was cancelled, or never began. */
async function afterBreak(
  parts: WorkerParts,
  run: Run,
  streamed: StreamedAnswer,
): Promise<RunOutcome | null> {
  const { request, answer, end } = streamed;
  if (end.kind === "finish") throw new Error("a finished answer is not broken");
  if (request !== null) run.keptText += await commitBroken(parts, { request, answer, usage: end.usage });
  if (end.kind === "cancelled") throw new Cancelled();
  const { failure } = end;
  if (!answer.begun && (await leaveOut(parts, failure)))
    return (await overBudget(parts, run)) ?? answered(parts, run);
  if (!answer.begun && failure.kind === "context_overflow")
    return { kind: "yielded", reason: failure.message, by: { kind: "provider", failure } };
  const { continuationsMax, retryWaitMsMax } = parts.limits;
  const wait = failure.retryAfterMs ?? 0;
  const isOften = run.continuations >= continuationsMax;
  const failed = isOften && failure.retryable ? brokenOften(failure, run.continuations + 1) : failure;
  if (!answer.begun || isOften || (failure.kind === "rate_limit" && wait > retryWaitMsMax)) {
    const pause = pauseFor(failed, { nowMs: parts.clock.now(), before: parts.history.pausesInRow });
    if (pause !== null) return pause;
  }
  if (!answer.begun || isOften || !failure.retryable) return { kind: "failed", failure: failed };
  run.continuations += 1;
  parts.observe({
    type: "continuation",
    attempt: run.continuations,
    attemptsMax: continuationsMax,
    reason: failure.message,
  });
  const waitMs = Math.max(Math.min(wait, retryWaitMsMax), continuationWaitMs(run.continuations));
  if (waitMs > 0) await raced(run.signal, () => parts.timers.sleep(waitMs, run.signal));
  return null;
}

function brokenOften(failure: ModelFailure, times: number): ModelFailure {
  return { ...failure, message: `The answer broke off ${times} times in a row: ${failure.message}` };
}

function emptyAnswer(parts: WorkerParts, reason: string): ModelFailure {
  return {
    kind: "stream_broken",
    message: `The model ${parts.model.id} answered with nothing (finish reason ${reason}): resume to ask again.`,
    retryable: true,
  };
}
