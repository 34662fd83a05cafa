/** Small histories, what is planned of them, and what comes of several compactions behind each other. */
import { callId, type CommittedItem, type Item, type SystemItem, utf8Length } from "@yoi/base";
import { compactionDefault } from "@yoi/manifest";
import { addSize, estimateTokens, noSize, sizeOfItem } from "@yoi/worker";
import { compactionLimits } from "../../../src/compact/plan/limits.ts";
import {
  type CompactedPlan,
  type CompactionInput,
  planCompaction,
} from "../../../src/compact/plan/plan-compaction.ts";

export const headTokens = 1_000;

export function sizeOf(items: readonly Item[]): number {
  return (
    headTokens +
    estimateTokens(
      items.reduce((sum, item) => addSize(sum, sizeOfItem(item)), noSize),
      4,
    )
  );
}

export function user(text: string): Item {
  return { type: "user_message", parts: [{ type: "text", text }] };
}
export function said(text: string): Item {
  return { type: "assistant_message", text, status: "completed" };
}
export function note(body: string, more: Partial<SystemItem> = {}): Item {
  return { type: "system_item", kind: "notification", source: "host", body, ...more };
}
/** A call and its result. */
export function called(id: number, content: string, name = "Bash"): readonly Item[] {
  const call = callId(id, 0);
  return [
    { type: "tool_call", call, name, arguments: `{"command":"ls ${id}"}` },
    { type: "tool_result", call, name, summary: `ran ${id}`, content, is_error: false },
  ];
}

export function committed(items: readonly Item[], from = 1): readonly CommittedItem[] {
  return items.map((item, at) => ({ seq: from + at, item: Object.freeze(item) }));
}

export function inputOf(
  items: readonly CommittedItem[],
  more: Partial<CompactionInput> = {},
): CompactionInput {
  return {
    state: { items, generation: 0, calibration: {}, config: { model: "p/m" } },
    summary: null,
    featureTexts: [],
    readFiles: [],
    limits: compactionLimits(compactionDefault, { contextWindow: 32_000, outputTokensMax: 4_000 }),
    sizeOf,
    tokensBefore: sizeOf(items.map(({ item }) => item)),
    ...more,
  };
}

export function planned(input: CompactionInput): CompactedPlan {
  const plan = planCompaction(input);
  if ("refused" in plan) throw new Error(plan.refused);
  return plan;
}

/** As the next segment has them. */
export function carriedOn({ items }: CompactedPlan): readonly CommittedItem[] {
  return items.map((one, at) => ({ seq: at + 1, ...one }));
}

export function bodiesOf({
  items,
}: Pick<CompactedPlan, "items">): readonly (readonly [kind: string, body: string])[] {
  return items.flatMap(({ item }) => (item.type === "system_item" ? [[item.kind, item.body] as const] : []));
}

export const bytesOf = (text: string): number => utf8Length(text);
