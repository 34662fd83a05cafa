/** Pruning: when a request would fill too much of the window, the content of old results is left out of it, and of every later one. */
import type { CommittedItem, MeasuredContext, Projection, ProjectionChanged } from "@yoi/base";
import type { History } from "./history.ts";
import { addSize, bytesPerToken, estimateTokens, type ItemSize, noSize, sizeShown } from "./item-size.ts";
import type { ContextSize } from "./loop-points.ts";
import { throwIfCancelled } from "./settle.ts";
import type { Run, WorkerParts } from "./worker-parts.ts";

/** In tokens. */
export interface PruneLimits {
  /** Nothing is pruned while a request is no larger. */
  readonly startTokens: number;
  /** The end of history of about this size is left whole, and the answer that it begins in, with its results. */
  readonly protectedTokens: number;
  /** The pointer moves only when that leaves out this much, so that it moves seldom: each time a provider's cache is of no use behind it. */
  readonly minSavingsTokens: number;
  /** Over this it moves for that alone, before room has to be made otherwise: of the first request of a run, and of every other. */
  readonly dueTokens: { readonly first: number; readonly other: number };
}

/**
 * What is left out has to be this many times what has to be sent anew. That is written to the cache once, and what is left out would have been read from it, at about a tenth
 * of the price, with each later request: below this a move costs more than it ever gives back.
 */
export const savingsOfResentMin = 2;

export interface Pruned {
  /** Results before this seq are sent without their content. */
  readonly before: number;
  /** How many results that is more than so far. */
  readonly results: number;
  /** Of their text. What a picture was counted for nobody knows, so less is claimed than saved: an estimate must not be too low. */
  readonly savedTokens: number;
}

export interface PruneView {
  readonly items: readonly CommittedItem[];
  readonly projection: Projection;
  readonly measured: MeasuredContext | null;
  /** Estimated, of the next request. */
  readonly tokens: number;
  /** Bytes of one token. */
  readonly rate: number;
  /** Whether pictures are sent at all. */
  readonly images: boolean;
  readonly isFirst: boolean;
}

/** How far the pointer moves now; null: it stays. A pure function, and the pointer never goes back. Costs what stands behind the pointer. */
export function nextPrune(view: PruneView, limits: PruneLimits): Pruned | null {
  const { items, projection, measured, tokens, rate, images } = view;
  if (tokens <= limits.startTokens) return null;
  // What no provider has counted yet is taken as it is sent: there is nothing to subtract it from.
  const isCounted = measured !== null && measured.tokens > 0;
  const end = Math.min(tailStart(view, limits.protectedTokens), isCounted ? measured.items : items.length);
  let saved: ItemSize = noSize;
  let results = 0;
  let changed = items.length;
  for (let index = firstBehind(items, projection.prune_before ?? 0); index < end; index += 1) {
    const committed = items[index];
    if (committed?.item.type !== "tool_result") continue;
    const own = savingOf(committed, projection);
    if (own.bytes <= 0 && own.images === 0) continue;
    saved = addSize(saved, { bytes: own.bytes, images: images ? own.images : 0 });
    if (results === 0) changed = index;
    results += 1;
  }
  const savings = estimateTokens(saved, rate);
  if (results === 0 || savings < limits.minSavingsTokens) return null;
  const due = view.isFirst ? limits.dueTokens.first : limits.dueTokens.other;
  const resent = estimateTokens(sizeFrom(view, changed), rate) - savings;
  if (tokens <= due && savings < savingsOfResentMin * resent) return null;
  const before = items[end]?.seq ?? (items.at(-1)?.seq ?? 0) + 1;
  return { before, results, savedTokens: Math.max(0, Math.floor(saved.bytes / rate)) };
}

function sizeFrom({ items, projection, images }: PruneView, index: number): ItemSize {
  let size: ItemSize = noSize;
  for (const committed of items.slice(index)) size = addSize(size, sizeShown(committed, projection));
  return images ? size : { ...size, images: 0 };
}

function savingOf(committed: CommittedItem, projection: Projection): ItemSize {
  const now = sizeShown(committed, projection);
  const then = sizeShown(committed, { ...projection, prune_before: committed.seq + 1 });
  return { bytes: now.bytes - then.bytes, images: now.images - then.images };
}

/** Index of the first item that is left whole: the one with which the answer, or the input, begins that the tail reaches into. */
function tailStart({ items, projection, rate }: PruneView, protectedTokens: number): number {
  let size: ItemSize = noSize;
  let index = items.length;
  while (index > 0 && estimateTokens(size, rate) < protectedTokens) {
    index -= 1;
    const committed = items[index];
    if (committed !== undefined) size = addSize(size, sizeShown(committed, projection));
  }
  while (index > 0 && !isBeginning(items, index)) index -= 1;
  return index;
}

function isBeginning(items: readonly CommittedItem[], index: number): boolean {
  const type = items[index]?.item.type;
  if (type === "user_message" || type === undefined) return true;
  return isAnswers(type) && !isAnswers(items[index - 1]?.item.type);
}

function isAnswers(type: CommittedItem["item"]["type"] | undefined): boolean {
  return type === "assistant_message" || type === "reasoning" || type === "tool_call";
}

/** Index of the first item with that seq or a later one. */
function firstBehind(items: readonly CommittedItem[], seq: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moves the pointer where that is due, on record before any request is made with it. How large the next request is then. */
export async function pruneWhereDue(parts: WorkerParts, run: Run, isFirst: boolean): Promise<ContextSize> {
  const { history, estimate, prune } = parts;
  const size = estimate.of(history);
  if (prune === null) return size;
  const pruned = nextPrune(viewOf(history, { tokens: size.tokens, isFirst }, parts), prune);
  if (pruned === null) return size;
  await history.append([entryOf(pruned, history.projection)]);
  throwIfCancelled(run.signal);
  return estimate.of(history);
}

function viewOf(
  { items, projection, measured, calibration }: History,
  request: Pick<PruneView, "tokens" | "isFirst">,
  parts: WorkerParts,
): PruneView {
  const { model, images = false } = parts.head.config();
  return { ...request, items, projection, measured, rate: bytesPerToken(calibration, model), images };
}

function entryOf({ before, results, savedTokens }: Pruned, projection: Projection): ProjectionChanged {
  const what = results === 1 ? "The content of 1 old result is" : `The content of ${results} old results is`;
  return {
    kind: "projection",
    projection: { ...projection, prune_before: before },
    reason: "pruned",
    message: `${what} left out from here on: about ${savedTokens} tokens less.`,
    saved_tokens: savedTokens,
  };
}
