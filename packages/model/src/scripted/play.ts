/** Turns one attempt of a scenario into the stream of events it stands for. */
import { noUsage, type Timers, type Usage } from "@yoi/base";
import type { ModelEvent } from "../model.ts";
import type { Attempt, ScriptedBlock } from "./scenario.ts";

export interface Stage {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** What the request is counted as where an attempt says nothing of it: a base of the default usage. */
  readonly inputTokens: number;
}

/** Pieces in a row without a pace: then whatever else waits in the process has its turn, a cancel before all. */
export const burstMax = 512;

/** Blocks in play order, then the terminal event. Throws the signal's reason when it aborts during a wait. */
export async function* play(attempt: Attempt, stage: Stage): AsyncGenerator<ModelEvent> {
  let said = 0;
  let pieces = 0;
  const broke = attempt.failure ?? {
    kind: "stream_broken",
    message: "The scripted stream ended without a terminal event.",
    retryable: true,
  };
  const usage = (): Usage => attempt.usage ?? counted(stage.inputTokens, said);
  for (const event of blockEvents(attempt)) {
    if (event.type !== "block_delta") {
      yield event;
      continue;
    }
    pieces += 1;
    if (attempt.paceMs > 0 || pieces % burstMax === 0) await stage.timers.sleep(attempt.paceMs, stage.signal);
    const left = (attempt.cutAfter ?? Number.POSITIVE_INFINITY) - said;
    const text = cut(event.text, left);
    said += text.length;
    if (text !== "") yield { ...event, text };
    if (text.length < event.text.length) {
      yield { type: "failure", failure: broke, usage: usage() };
      return;
    }
  }
  if (attempt.failure !== undefined || attempt.cutAfter !== undefined) {
    const isRefused = attempt.blocks.length === 0 && attempt.usage === undefined;
    yield { type: "failure", failure: broke, usage: isRefused ? null : usage() };
  } else {
    yield { type: "finish", reason: attempt.finish, usage: usage() };
  }
}

function* blockEvents(attempt: Attempt): Generator<ModelEvent> {
  if (!attempt.interleave) {
    for (const [index, block] of attempt.blocks.entries()) {
      yield start(index, block);
      for (const text of deltas(block.text, attempt.chunk)) yield { type: "block_delta", index, text };
      yield end(index, block);
    }
    return;
  }
  const open = new Map(
    attempt.blocks.map((block, index) => [index, { block, rest: deltas(block.text, attempt.chunk) }]),
  );
  for (const [index, { block }] of open) yield start(index, block);
  while (open.size > 0) {
    for (const [index, { block, rest }] of open) {
      const text = rest.shift();
      if (text !== undefined) {
        yield { type: "block_delta", index, text };
      } else {
        open.delete(index);
        yield end(index, block);
      }
    }
  }
}

function start(index: number, block: ScriptedBlock): ModelEvent {
  return {
    type: "block_start",
    index,
    block: block.block,
    ...(block.name === undefined ? {} : { name: block.name }),
    ...(block.providerCallId === undefined ? {} : { providerCallId: block.providerCallId }),
  };
}

function end(index: number, block: ScriptedBlock): ModelEvent {
  return {
    type: "block_end",
    index,
    text: block.text,
    ...(block.metadata === undefined ? {} : { metadata: block.metadata }),
  };
}

/** Pieces of at most `chunk` UTF-16 code units; a surrogate pair is never split. */
function deltas(text: string, chunk: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const piece = cut(text.slice(from, from + chunk + 1), chunk) || text.slice(from, from + 2);
    pieces.push(piece);
    from += piece.length;
  }
  return pieces;
}

function cut(text: string, length: number): string {
  const kept = text.slice(0, length);
  return kept.length < text.length && isHighSurrogate(kept.charCodeAt(kept.length - 1))
    ? kept.slice(0, -1)
    : kept;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function counted(input: number, said: number): Usage {
  return { ...noUsage, input_tokens: input, output_tokens: tokensOf(said) };
}

/** About four bytes a token, as everywhere where nothing was measured. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / 4);
}
