/** Histories of adversarial sizes for compactions: from nothing to larger than the window, with pictures, parallel calls and whatever may come last. */
import { callId, type CallId, type CommittedItem, type Item } from "@yoi/base";
import { type CompactionLimits, compactionLimits } from "../../packages/pod/src/compact/plan/limits.ts";
import { compactionDefault } from "@yoi/manifest";

/** Numbers from 0 to below 1 that follow from the seed. */
export function randomOf(seed: number): () => number {
  let state = seed ^ 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface RandomHistory {
  readonly items: readonly CommittedItem[];
  readonly limits: CompactionLimits;
  /** Tokens of system prompt and tools. */
  readonly head: number;
  /** Bytes of a token. */
  readonly rate: number;
}

/** What stands last. */
export const endings = ["idle", "input", "results", "open_calls", "notes"] as const;

export function randomHistory(seed: number): RandomHistory {
  const random = randomOf(seed);
  const whole = (from: number, below: number) => from + Math.floor(random() * (below - from));
  const pick = <T>(of: readonly [T, ...T[]]): T => of[whole(0, of.length)] ?? of[0];
  const rate = pick([1.5, 2, 3, 4, 8]);
  const head = pick([0, 100, 1_000, 5_000, 30_000]);
  const room = pick([2_048, 2_049, 3_000, 4_000, 6_000, random() < 0.1 ? 60_000 : 10_000]);
  const output = whole(1, 4_000);
  // Less than what is promised, now and then: then it may be refused.
  const contextWindow = Math.ceil(((head + room) * 100) / 95) + output + 1 - (random() < 0.1 ? room : 0);
  const limits = compactionLimits(
    {
      ...compactionDefault,
      retained_tokens: pick([1, 500, 8_000]),
      result_context_max_tokens: pick([1_000, 60_000]),
    },
    { contextWindow: Math.max(2, contextWindow), outputTokensMax: output },
  );
  const windowBytes = room * rate;
  const size = () =>
    pick([
      0,
      1,
      100,
      255,
      256,
      257,
      1_000,
      whole(0, 4_000),
      random() < 0.3 ? Math.floor(windowBytes * 1.3) : 2_000,
    ]);
  const letters = pick(["x", "ä", "\n", '"', "漢"]);
  const text = () => {
    const bytes = size();
    return letters.repeat(Math.floor(bytes / Buffer.byteLength(letters)));
  };

  const items: CommittedItem[] = [];
  let seq = 0;
  const add = (item: Item) => items.push({ seq: (seq += whole(1, 3)), item: Object.freeze(item) });
  const note = () =>
    add({ type: "system_item", kind: pick(["notification", "pod_event"]), source: "host", body: text() });
  const input = () => {
    add({ type: "user_message", parts: [{ type: "text", text: text() }] });
    for (let files = random() < 0.2 ? whole(1, 3) : 0; files > 0; files -= 1)
      add({ type: "system_item", kind: "file_attachment", source: "host", body: text(), ...pictures() });
  };
  const pictures = () =>
    random() < 0.15
      ? {
          images: Array.from(
            { length: whole(1, 4) },
            () => ({ type: "image", media_type: "image/png", data: "AAAA" }) as const,
          ),
        }
      : {};
  const answer = (calls: number, openFrom: number) => {
    const request = seq + 1;
    if (random() < 0.4)
      add({
        type: "reasoning",
        text: text(),
        status: "completed",
        provider_data: { provider: "p", metadata: { s: 1 } },
      });
    if (calls === 0 || random() < 0.5) add({ type: "assistant_message", text: text(), status: "completed" });
    const made: CallId[] = [];
    for (let index = 0; index < calls; index += 1) {
      const call = callId(request, index);
      made.push(call);
      add({
        type: "tool_call",
        call,
        name: "Bash",
        arguments: JSON.stringify({ command: random() < 0.1 ? text() : "ls" }),
      });
    }
    for (const [index, call] of made.entries())
      if (index < openFrom)
        add({
          type: "tool_result",
          call,
          name: "Bash",
          summary: "s".repeat(whole(0, 200)),
          content: text(),
          is_error: random() < 0.1,
          ...pictures(),
        });
  };
  for (let steps = whole(0, 25); steps > 0; steps -= 1) {
    const kind = random();
    if (kind < 0.2) input();
    else if (kind < 0.3) note();
    else answer(pick([0, 1, 1, 2, 8]), 8);
  }
  switch (pick(endings)) {
    case "idle":
      answer(0, 0);
      break;
    case "input":
      input();
      break;
    case "results":
      answer(pick([1, 3, 8]), 8);
      break;
    case "open_calls":
      answer(pick([1, 3, 8]), whole(0, 2));
      break;
    case "notes":
      for (let notes = pick([1, 3, 128]); notes > 0; notes -= 1) note();
      break;
  }
  return { items, limits, head, rate };
}
