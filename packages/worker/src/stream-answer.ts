/** One request: recorded, sent, and its answer collected until a terminal event, a break or a cancel. Commits nothing of the answer but pieces, and what failed attempts used. */
import { type FinishReason, type LlmRequest, noUsage, type Usage, type WireRecord } from "@yoi/base";
import type { FailedUsage, ModelEvent, ModelFailure, ModelRequest } from "@yoi/model";
import { Answer, type BlockEvent } from "./answer.ts";
import { commitAttempt } from "./commit-answer.ts";
import { PartialWriter } from "./partial-writer.ts";
import { RequestRecord } from "./request-record.ts";
import { Cancelled, linkedController, settledWithin } from "./settle.ts";
import type { WorkerParts } from "./worker-parts.ts";

export type AnswerEnd =
  | { readonly kind: "finish"; readonly reason: FinishReason; readonly usage: Usage }
  | { readonly kind: "failure"; readonly failure: ModelFailure; readonly usage: FailedUsage }
  | { readonly kind: "cancelled"; readonly usage: FailedUsage };

export interface StreamedAnswer {
  /** Seq of the request's record; null when nothing was sent. */
  readonly request: number | null;
  readonly answer: Answer;
  readonly end: AnswerEnd;
}

export interface Sending {
  readonly request: ModelRequest;
  readonly record: (wire: WireRecord) => LlmRequest;
}

const noTerminal: AnswerEnd = {
  kind: "failure",
  failure: {
    kind: "stream_broken",
    message: "The answer ended without a terminal event: resume to ask again.",
    retryable: true,
  },
  usage: noUsage,
};

/** Throws what the record or a piece could not be written for, at once, and for a model that breaks its contract. */
export async function streamAnswer(
  parts: WorkerParts,
  signal: AbortSignal,
  sending: Sending,
): Promise<StreamedAnswer> {
  const { controller, unlink } = linkedController(signal);
  const answer = new Answer(parts.model, parts.history.generation);
  const failures: unknown[] = [];
  let partials: PartialWriter | null = null;
  const record = new RequestRecord({
    history: parts.history,
    signal: controller.signal,
    body: sending.record,
    recorded: (seq) => {
      parts.observe({ type: "request_recorded", seq });
      partials = new PartialWriter(seq, {
        ...parts,
        failed: (error) => {
          failures.push(error);
          controller.abort();
        },
      });
    },
  });
  let over = false;
  const consume = async (): Promise<AnswerEnd> => {
    const events = parts.model.stream(sending.request, {
      signal: controller.signal,
      beforeSend: record.beforeSend,
    });
    for await (const event of events) {
      if (over) break;
      if (event.type === "retry" && record.seq !== null)
        await commitAttempt(parts, { request: record.seq, attempt: event.attempt, usage: event.usage });
      const end = take(parts, answer, partials, event);
      if (end !== null) return end;
    }
    return noTerminal;
  };
  let end: AnswerEnd = { kind: "cancelled", usage: noUsage };
  try {
    const settled = await settledWithin(
      controller.signal,
      { timers: parts.timers, ms: parts.limits.cancelGraceMs },
      consume,
    );
    if (settled.settled) end = settled.value;
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) failures.push(thrown);
  }
  over = true;
  unlink();
  await closePartials(partials);
  await record.settled();
  if (failures.length > 0) throw failures[0];
  if (signal.aborted && end.kind === "failure") end = { kind: "cancelled", usage: end.usage };
  return { request: record.seq, answer, end };
}

/** TypeScript cannot see that the callback above assigned it. */
async function closePartials(partials: PartialWriter | null): Promise<void> {
  await partials?.close();
}

/** Takes one event; the terminal one comes back. `partials` is there from the moment the request is on record. */
function take(
  parts: WorkerParts,
  answer: Answer,
  partials: PartialWriter | null,
  event: ModelEvent,
): AnswerEnd | null {
  switch (event.type) {
    case "ping":
      return null;
    case "retry":
      parts.observe(event);
      return null;
    case "failure":
      return { kind: "failure", failure: event.failure, usage: event.usage };
    case "finish":
      assertRecorded(partials);
      return { kind: "finish", reason: event.reason, usage: event.usage };
    case "block_start":
    case "block_delta":
    case "block_end":
      takeBlock(parts, answer, assertRecorded(partials), event);
      return null;
  }
}

function takeBlock(parts: WorkerParts, answer: Answer, partials: PartialWriter, event: BlockEvent): void {
  const { index } = event;
  const block = answer.apply(event);
  if (event.type === "block_start") {
    const name = block.block === "tool_call" ? { name: block.name } : {};
    parts.observe({ type: "block_start", index, block: block.block, ...name });
  } else if (event.type === "block_delta") {
    parts.observe({ type: "block_delta", index, block: block.block, text: event.text });
    partials.arrived(block, event.text);
  }
}

function assertRecorded(partials: PartialWriter | null): PartialWriter {
  if (partials === null) throw new Error("the model answered a request that is not on record");
  return partials;
}
