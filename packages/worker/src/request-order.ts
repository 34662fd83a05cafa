/** Request order: results in call order right behind the answer that made the calls, system items of the step behind them. Nothing else moves. */
import { flattenInput, type CallId, type CommittedItem, type Item } from "@yoi/base";

/** Calls of one answer that wait for results, and what came in between. */
interface OpenStep {
  /** In call order. */
  readonly results: Map<CallId, CommittedItem | null>;
  readonly notes: CommittedItem[];
}

/**
 * Orders a stretch of history that ends where a request may be made: every call in it is answered in it. So ordering two stretches one after the other
 * is ordering them as one, and the order of a request is a prefix of the order of the next. Blank texts are left out. Throws on a call without a result,
 * a result without its call and a second result: history is broken then, and must not reach a model.
 */
export function inRequestOrder(items: readonly CommittedItem[]): CommittedItem[] {
  const ordered: CommittedItem[] = [];
  let step: OpenStep = { results: new Map(), notes: [] };
  const closeStep = () => {
    for (const [call, result] of step.results) {
      if (result === null) throw new Error(`the call ${call} has no result: no request may be built`);
      ordered.push(result);
    }
    ordered.push(...step.notes);
    step = { results: new Map(), notes: [] };
  };
  for (const committed of items) {
    const { item } = committed;
    if (isBlank(item)) continue;
    switch (item.type) {
      case "tool_result":
        if (step.results.get(item.call) !== null) {
          const what = step.results.has(item.call) ? "a second result" : "a result but no open call";
          throw new Error(`${item.call} has ${what}: no request may be built`);
        }
        step.results.set(item.call, committed);
        break;
      case "system_item":
        if (step.results.size === 0) ordered.push(committed);
        else step.notes.push(committed);
        break;
      case "tool_call":
        if (isAnswered(step)) closeStep();
        if (step.results.has(item.call))
          throw new Error(`the call ${item.call} is there twice: no request may be built`);
        step.results.set(item.call, null);
        ordered.push(committed);
        break;
      case "assistant_message":
      case "reasoning":
        if (isAnswered(step)) closeStep();
        ordered.push(committed);
        break;
      case "user_message":
        closeStep();
        ordered.push(committed);
        break;
    }
  }
  closeStep();
  return ordered;
}

/** A further item of the model's belongs to the same answer until a result or a note has come. */
function isAnswered(step: OpenStep): boolean {
  if (step.notes.length > 0) return true;
  for (const result of step.results.values()) if (result !== null) return true;
  return false;
}

/** Providers refuse texts without a visible character. One that carries a provider's own data is not empty. */
export function isBlank(item: Item): boolean {
  switch (item.type) {
    case "assistant_message":
    case "reasoning":
      return item.text.trim() === "" && item.provider_data === undefined;
    case "system_item":
      return item.body.trim() === "";
    case "user_message":
      return flattenInput(item.parts).trim() === "";
    case "tool_call":
    case "tool_result":
      return false;
  }
}
