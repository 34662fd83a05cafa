/** Step 7: an answer enters history in one batch, whole or as far as it came. */
import {
  costOf,
  type Entry,
  type EntryBody,
  type FinishReason,
  itemOf,
  type LlmUsage,
  noUsage,
  type Price,
  type UnansweredCall,
  type Usage,
} from "@yoi/base";
import type { FailedUsage } from "@yoi/model";
import type { Answer, CompleteAnswer } from "./answer.ts";
import { errorResult } from "./bound-result.ts";
import { cutNote } from "./closing.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Reasons that stop an answer in the middle: its last block is not whole. */
const cutting: ReadonlySet<FinishReason> = new Set(["length", "content_filter"]);

export interface CommittedAnswer {
  /** Null: the answer held nothing at all. */
  readonly answer: { readonly text: string; readonly calls: readonly UnansweredCall[] } | null;
}

/** A complete answer with its usage and the end of its turn. */
export async function commitComplete(
  parts: WorkerParts,
  options: {
    readonly request: number;
    readonly answer: Answer;
    readonly finish: FinishReason;
    readonly usage: Usage;
  },
): Promise<CommittedAnswer> {
  const { request, finish, usage } = options;
  const complete = options.answer.complete(request, cutting.has(finish));
  const counted = countedAs(parts, { request, usage, finish });
  if (complete.entries.length === 0) {
    await parts.history.append([counted]);
    return { answer: null };
  }
  const committed = await parts.history.append([
    ...complete.entries,
    ...cutCallResult(parts, complete),
    counted,
    { kind: "turn_end", turn_count: parts.history.turnCount + 1 },
  ]);
  parts.observe({ type: "answer", request, finish, usage });
  if (cutting.has(finish)) {
    const why = finish === "length" ? "at the output limit" : "by the provider's content filter";
    parts.observe({ type: "warning", text: `The answer was cut ${why}: its last part is not whole.` });
  }
  const texts = observeTexts(parts, committed);
  const calls = parts.history.unanswered.filter((call) => !call.started);
  return { answer: { text: texts.join("\n\n"), calls } };
}

/** An answer that broke off: what is kept of it, the note about that, and what it cost. Returns the kept text. */
export async function commitBroken(
  parts: WorkerParts,
  options: { readonly request: number; readonly answer: Answer; readonly usage: FailedUsage },
): Promise<string> {
  const { request, answer, usage } = options;
  const { entries, droppedCalls } = answer.broken(request);
  const bodies: EntryBody[] = [];
  // The note adjoins the answer that it is about: that is how a reader tells a broken answer from a complete one.
  if (answer.begun) bodies.push(...entries, cutNote(entries.length > 0, droppedCalls));
  bodies.push(countedAs(parts, { request, usage, finish: "interrupted" }));
  return observeTexts(parts, await parts.history.append(bodies)).join("\n\n");
}

/** The last call of an answer that stopped in the middle: even arguments that happen to parse may not be what was meant. */
function cutCallResult(parts: WorkerParts, complete: CompleteAnswer): EntryBody[] {
  const cut = complete.entries.find((entry) => entry.index === complete.cutCall)?.item;
  if (cut?.type !== "tool_call") return [];
  const message = `not executed: the answer was cut in the arguments of this ${cut.name} call; make it again, in smaller pieces if it is long`;
  const call = { call: cut.call, name: cut.name };
  return [{ kind: "tool_result", item: errorResult(call, message, parts.limits) }];
}

/** As they are on record, where credentials are taken out. */
function observeTexts(parts: WorkerParts, committed: readonly Entry[]): string[] {
  const texts: string[] = [];
  for (const entry of committed) {
    const item = itemOf(entry);
    if (item?.type !== "assistant_message" || item.text === "") continue;
    texts.push(item.text);
    parts.observe({ type: "text", text: item.text });
  }
  return texts;
}

/** A sending that failed before anything of an answer came, and that another one follows. What was refused has nothing to count. */
export async function commitAttempt(
  parts: WorkerParts,
  counted: { readonly request: number; readonly attempt: number; readonly usage: FailedUsage },
): Promise<void> {
  if (counted.usage === null) return;
  await parts.history.append([countedAs(parts, { ...counted, finish: "interrupted" })]);
}

function countedAs(
  { model }: WorkerParts,
  { usage, ...counted }: Pick<LlmUsage, "request" | "attempt" | "finish"> & { readonly usage: FailedUsage },
): LlmUsage {
  const cost = costWhereKnown(usage, model.price());
  return { kind: "llm_usage", ...counted, usage: usage ?? noUsage, ...cost };
}

/** What used nothing was free. What nobody counted was not. */
function costWhereKnown(usage: FailedUsage, price: Price | null): Pick<LlmUsage, "cost_nano_usd"> {
  if (usage === null) return { cost_nano_usd: 0 };
  return price === null || isNothing(usage) ? {} : { cost_nano_usd: costOf(usage, price) };
}

function isNothing(usage: Usage): boolean {
  return usage.input_tokens === 0 && usage.output_tokens === 0;
}
