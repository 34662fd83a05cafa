/** Measure: how large the context is, by what providers counted of it. A part of the fold. */
import {
  bytesPerTokenMax,
  canonicalJson,
  type BytesOfTokens,
  type Item,
  type LlmRequest,
  type MeasuredContext,
  type SegmentStart,
  type ToolDefinition,
  type Usage,
  utf8Length,
} from "@yoi/base";

export class Measure {
  context: MeasuredContext | null = null;
  /** When the last run began. */
  #before: MeasuredContext | null = null;
  /** Of the last request: how many items history had when it was sent, and with the last item of its answer; what was asked and how large it was. */
  #answer = { request: -1, asked: 0, items: 0, model: "", bytes: 0 };
  #hasImages = false;
  #promptBytes = 0;
  #toolsBytes = utf8Length("[]");

  begin({ prompt, measured }: SegmentStart): void {
    this.#promptBytes = utf8Length(prompt);
    this.context = measured ?? null;
  }

  cameIn(item: Item): void {
    this.#hasImages ||= "images" in item && item.images !== undefined;
  }

  toolsChanged(tools: readonly ToolDefinition[]): void {
    this.#toolsBytes = utf8Length(canonicalJson(tools));
  }

  runBegan(): void {
    this.#before = this.context;
  }

  /** @param items of the history that it was sent with. */
  requested({ seq, config, wire }: LlmRequest & { readonly seq: number }, items: number): void {
    this.#answer = { request: seq, asked: items, items, model: config.model, bytes: wire.bytes };
  }

  /** It is the last one, and what it was asked with is history still. */
  isOfAnswer(request: number): boolean {
    return request === this.#answer.request;
  }

  /** @param items of the history, with the one that the answer brought. */
  answerGrew(items: number): void {
    this.#answer.items = items;
  }

  /** The last request is counted. What it says of the bytes of a text; null: nothing. */
  answered({ input_tokens, output_tokens }: Usage): (BytesOfTokens & { readonly model: string }) | null {
    const { asked, items, model, bytes } = this.#answer;
    const used = input_tokens + output_tokens;
    // Pictures are bytes that no tokens are counted for as for text.
    const isTrue = this.#hasImages || input_tokens * bytesPerTokenMax >= bytes;
    // What was refused, or left no trace, takes nothing from the last measure.
    if (used > 0 || items > asked) {
      const head_bytes = this.#promptBytes + this.#toolsBytes;
      this.context = { items, tokens: isTrue ? used : 0, model, head_bytes };
    }
    return isTrue && !this.#hasImages && input_tokens > 0 ? { model, bytes, tokens: input_tokens } : null;
  }

  /** What a provider counted held what is not sent any more. */
  pruned(tokens: number): void {
    this.context = lessBy(tokens, this.context);
    this.#before = lessBy(tokens, this.#before);
  }

  /** What the last request was asked with is not history any more, so its count measures nothing. */
  rolledBack(): void {
    this.context = this.#before;
    this.#answer = { ...this.#answer, request: -1 };
  }
}

function lessBy(tokens: number, measured: MeasuredContext | null): MeasuredContext | null {
  if (measured === null) return null;
  return { ...measured, tokens: Math.max(0, measured.tokens - tokens) };
}
