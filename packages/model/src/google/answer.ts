/** What the SDK's parts leave out of a Gemini answer: usage so far, which ends are an end, and why there is nothing in it. */
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { JsonObject } from "@yoi/base";
import { Answer } from "../adapter/answer.ts";
import { brokenStream, failure, quote } from "../failure.ts";
import type { ModelEvent, ModelFailure } from "../model.ts";
import { readRaw, usageOfRaw } from "./raw.ts";

/** Ends that are the model's own fault: asked again it may do better. */
const spoiled = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
]);

export class GoogleAnswer extends Answer {
  #reported: JsonObject | null = null;
  #continues = false;
  #finishMessage: string | null = null;
  #blockReason: string | null = null;
  /** The end of the last text block. The SDK tells it also of a stream that was cut: only what follows says which it is. */
  #held: LanguageModelV4StreamPart | null = null;

  override read(part: LanguageModelV4StreamPart): ModelEvent[] {
    if (part.type !== "finish") return super.read(part);
    const { endpoint } = this.context;
    const { unified, raw } = part.finishReason;
    // Without a reason the model has not stopped: the stream was cut, and its last block stays open.
    if (!raw) return [this.failed(brokenStream(endpoint, "it ended without its terminal event"))];
    const events = this.#release();
    const cause = this.#noAnswer(unified, raw);
    return cause === null ? [...events, ...super.read(part)] : [...events, this.failed(cause)];
  }

  protected override raw(value: unknown): ModelEvent[] {
    const { usage, finishReason, finishMessage, blockReason, nameless } = readRaw(value);
    if (usage !== null) {
      this.#reported = { ...this.#reported, ...usage };
      this.setUsage(usageOfRaw(this.#reported));
    }
    if (finishReason !== null) this.#continues = finishReason === "CONTINUATION";
    this.#finishMessage = finishMessage ?? this.#finishMessage;
    this.#blockReason = blockReason ?? this.#blockReason;
    return nameless ? [this.failed(brokenStream(this.context.endpoint, "a call in it names no tool"))] : [];
  }

  protected override block(part: LanguageModelV4StreamPart): ModelEvent[] {
    const events = this.#release();
    if (part.type !== "text-end" && part.type !== "reasoning-end") return [...events, ...super.block(part)];
    this.#held = part;
    return events;
  }

  protected override error(error: unknown): ModelEvent[] {
    // What the SDK then asks for by itself is not sent: the answer ends here, at the limit of one request.
    return this.#continues ? [] : super.error(error);
  }

  #release(): ModelEvent[] {
    const held = this.#held;
    this.#held = null;
    return held === null ? [] : super.block(held);
  }

  /** Why an answer with this end is none; null: it may be one. */
  #noAnswer(unified: LanguageModelV4FinishReason["unified"], raw: string): ModelFailure | null {
    const { endpoint } = this.context;
    const at = `${endpoint.label} at ${endpoint.host}`;
    const words = this.#finishMessage === null ? "" : `: "${quote(endpoint, this.#finishMessage)}"`;
    const reason = `${quote(endpoint, raw)}${words}`;
    if (spoiled.has(raw))
      return brokenStream(endpoint, `the model's own answer could not be read (${reason})`);
    if (raw === "MISSING_THOUGHT_SIGNATURE")
      return failure("invalid_request", `${at} refused the request (${reason}); start a new session.`, false);
    if (unified !== "content-filter" || this.blocks.any) return null;
    const what = this.#blockReason === null ? "refused to answer" : "did not let the prompt through";
    return failure("invalid_request", `${at} ${what} (${reason}); change the request.`, false);
  }
}
