/** For any history and any window a compaction comes to a history within the limit and smaller by enough, or says why not; and it never goes on for ever. */
import assert from "node:assert/strict";
import { type CommittedItem, idOf, type Item, noProjection } from "@yoi/base";
import { addSize, buildRequest, estimateTokens, type ItemSize, noSize, sizeOfItem } from "@yoi/worker";
import { cutPlaces, isAnswer, openCalls } from "../../packages/pod/src/compact/plan/history-parts.ts";
import { progressMax } from "../../packages/pod/src/compact/plan/limits.ts";
import {
  type CompactedPlan,
  type CompactionInput,
  planCompaction,
} from "../../packages/pod/src/compact/plan/plan-compaction.ts";
import type { Summary } from "../../packages/pod/src/compact/plan/summary.ts";
import type { Proof } from "../support/proof.ts";
import { randomHistory, type RandomHistory, randomOf } from "./random-history.ts";

const requestConfig = { model: "p/m", max_output_tokens: 1 };
const requestHead = { system: "", tools: [], config: requestConfig };
/** Compactions behind each other, each of what the one before came to: each is smaller, so they end. */
const repeatsMax = 2;

export type Plans = typeof planCompaction;

/** @param plans the planner that is tried. */
export function planSizes(plans: Plans): Proof {
  return {
    name: "I12: a compaction of any sizes is within the limit and smaller by enough, or refused with the reason; nothing that has to go on is lost",
    cases: { test: 2_000, prove: 10_000 },
    check: async (index) => check(index, plans),
  };
}

function check(index: number, plans: Plans): void {
  const history = randomHistory(index);
  const random = randomOf(index + 7_000_000);
  let { items } = history;
  let before = sizeOf(history)(items.map(({ item }) => item));
  for (let turn = 0; turn < repeatsMax; turn += 1) {
    const input = inputOf(history, items, before, turn, random() < 0.5 ? summaryOf(random) : null);
    const planned = plans(input);
    if ("refused" in planned) {
      refusal(planned.refused, input, history, plans);
      return;
    }
    kept(planned, input, history);
    items = planned.items.map(({ id, item, folded }, at) => ({
      seq: at + 1,
      id,
      item,
      folded: folded === true,
    }));
    before = planned.tokens;
  }
}

/** Items are frozen, and measured again and again. */
const sizes = new WeakMap<Item, ItemSize>();

function sizeOnce(item: Item): ItemSize {
  const size = sizes.get(item) ?? sizeOfItem(item);
  sizes.set(item, size);
  return size;
}

function sizeOf({ head, rate }: RandomHistory) {
  return (items: readonly Item[]) =>
    head +
    estimateTokens(
      items.reduce((sum, item) => addSize(sum, sizeOnce(item)), noSize),
      rate,
    );
}

function inputOf(
  history: RandomHistory,
  items: readonly CommittedItem[],
  tokensBefore: number,
  generation: number,
  summary: Summary | null,
): CompactionInput {
  const { limits, rate } = history;
  return {
    state: {
      items,
      generation,
      calibration: { "p/m": { bytes: rate * 1_000, tokens: 1_000 } },
      config: requestConfig,
    },
    summary,
    featureTexts: [
      { feature: "a:long", text: "f".repeat(8_000) },
      { feature: "a:short", text: "nothing much" },
    ],
    readFiles: Array.from({ length: 8 }, (_, file) => ({
      path: `/w/${"d".repeat(file)}/${file}.ts`,
      sha256: String(file).padStart(64, "0"),
      ranges: [[0, 10]],
      length: 10,
    })),
    limits,
    sizeOf: sizeOf(history),
    tokensBefore,
  };
}

function summaryOf(random: () => number): Summary {
  return {
    text: "s".repeat(Math.floor(random() * 30_000)),
    constraints: Array.from({ length: Math.floor(random() * 4) }, (_, one) => `demand ${one}`),
    withdrawn: [],
    currentWork: "",
    files: [],
  };
}

/** Only what cannot be made to fit is refused. */
function refusal(why: string, input: CompactionInput, history: RandomHistory, plans: Plans): void {
  const { items } = input.state;
  const { limits, head } = history;
  // A plan that fits and gains too little is refused only where nothing has to happen.
  const gained = Number(/about (\d+) tokens, of \d+ now: too little is gained$/.exec(why)?.[1] ?? 0);
  assert.ok(gained === 0 || gained > progressMax(input.tokensBefore), why);
  if (gained > 0 || /it can be sent whole$/.test(why)) {
    assert.ok(input.tokensBefore <= limits.limit && input.isOverflow !== true, why);
    const needed = { ...input, isOverflow: true };
    const planned = plans(needed);
    return "refused" in planned
      ? refusal(planned.refused, needed, history, plans)
      : kept(planned, needed, history);
  }
  if (head > limits.limit) return assert.match(why, /system prompt and the tools alone/);
  if (/too little is gained/.test(why)) {
    const least = Number(/about (\d+) tokens at least/.exec(why)?.[1]);
    return assert.ok(least > progressMax(input.tokensBefore), why);
  }
  if (openCalls(items).size > 0) return assert.match(why, /the calls that have no result yet/);
  assert.ok(limits.limit < head + 2_048 - 8, `refused although there is room: ${why}`);
  assert.match(why, /at most \d+ are ever sent/);
}

function kept(plan: CompactedPlan, input: CompactionInput, history: RandomHistory): void {
  const { limits, state, tokensBefore } = input;
  const tokens = sizeOf(history)(plan.items.map(({ item }) => item));
  assert.equal(plan.tokens, tokens);
  assert.ok(tokens <= limits.limit, `${tokens} of ${limits.limit}`);
  assert.ok(tokens <= progressMax(tokensBefore), `${tokens} of ${tokensBefore} before`);
  assert.ok(plan.items.every(({ folded }) => folded === true));

  const ids = plan.items.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, "an id is there twice");
  const old = new Map(state.items.map((one) => [idOf(one), one.item]));
  const tail = plan.items.filter(({ id }) => old.has(id));
  const inOrder = [...old.keys()].filter((id) => tail.some((one) => one.id === id));
  assert.deepEqual(
    inOrder,
    tail.map(({ id }) => id),
  );
  assert.equal(plan.kept, tail.filter(({ id, item }) => old.get(id) === item).length);
  assert.equal(plan.cutAt, tail[0]?.id ?? null);

  // No call without its result, but those that had none; no result without its call.
  const open = openCalls(state.items);
  const committed = plan.items.map((one, at): CommittedItem => ({ seq: at + 1, ...one }));
  const stays = openCalls(committed.map((one) => one));
  assert.deepEqual([...stays], [...open]);
  if (open.size === 0) buildRequest(requestHead, committed, noProjection);
  else assert.ok(cutPlaces(committed).length > 0);

  // An answer goes on whole, or not at all; of one that was cut the reasoning is gone.
  const isKept = (one: CommittedItem) => ids.includes(idOf(one));
  for (const [at, one] of state.items.entries()) {
    const next = state.items[at + 1];
    if (next === undefined || !isAnswer(one.item) || !isAnswer(next.item)) continue;
    const isCut = one.item.type === "reasoning" || next.item.type === "reasoning";
    assert.ok(
      isKept(one) === isKept(next) || (isCut && !hasCalls(tail.map(({ item }) => item))),
      `parted at ${at}`,
    );
  }
  const last = state.items.findLast(({ item }) => isAnswer(item) || item.type === "user_message");
  if (last?.item.type === "user_message") assert.ok(isKept(last), "the input that nobody answered is gone");
  allInputsTold(plan, input);
}

function hasCalls(items: readonly Item[]): boolean {
  return items.some(({ type }) => type === "tool_call");
}

/** Each input is told, or stays, or is counted. */
function allInputsTold({ items }: CompactedPlan, { state }: CompactionInput): void {
  const record = (of: readonly { readonly item: Item }[]) => {
    const found = of.find(({ item }) => item.type === "system_item" && item.kind === "user_inputs")?.item;
    const { inputs = [], left_out = 0 } = found?.type === "system_item" ? (found.record ?? {}) : {};
    return {
      ids: (inputs as readonly { readonly id: string }[]).map(({ id }) => id),
      left: Number(left_out),
    };
  };
  const before = record(state.items);
  const now = record(items);
  const wanted = new Set([
    ...before.ids,
    ...state.items.filter(({ item }) => item.type === "user_message").map(idOf),
  ]);
  const told = new Set([
    ...now.ids,
    ...items.filter(({ item }) => item.type === "user_message").map(({ id }) => id),
  ]);
  const missing = [...wanted].filter((id) => !told.has(id)).length;
  assert.ok(
    missing <= now.left - before.left,
    `${missing} inputs are gone, and ${now.left - before.left} are counted`,
  );
}

/** The planner in use. */
export const compactionSizes = planSizes(planCompaction);
