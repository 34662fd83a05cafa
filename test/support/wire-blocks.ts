/** What a Messages request shows a model, cache marks left out: the head, and the content blocks of all messages in one row. */
import assert from "node:assert/strict";

/** One content block with the role of the message that it stands in: adapters merge messages, so only the row counts. */
export interface WireBlock {
  readonly role: string;
  readonly type: string;
  /** The block as it was sent. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ShownRequest {
  /** System prompt, tools and parameters: everything but the messages. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly blocks: readonly WireBlock[];
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (typeof value !== "object" || value === null) return value;
  const { cache_control: _, ...rest } = value as Record<string, unknown>;
  return rest;
}

/** Reads the parsed body of a request. Marks are taken off blocks, the parts of the system prompt and tools; nowhere deeper. */
export function shownBy(body: unknown): ShownRequest {
  const { messages, ...head } = body as {
    messages: readonly { readonly role: string; readonly content: unknown }[];
    [field: string]: unknown;
  };
  const blocks = messages.flatMap(({ role, content }) => {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content as object[]);
    return parts.map((part): WireBlock => {
      const fields = unmarked(part) as Record<string, unknown>;
      return { role, type: String(fields["type"]), fields };
    });
  });
  return {
    head: Object.fromEntries(Object.entries(head).map(([name, value]) => [name, unmarked(value)])),
    blocks,
  };
}

/** Asserts that `next` begins with every block of `previous`, unchanged and in order; gives the blocks that it adds. */
export function addedBlocks(
  previous: readonly WireBlock[],
  next: readonly WireBlock[],
): readonly WireBlock[] {
  for (const [at, block] of previous.entries()) {
    assert.deepEqual(
      next[at],
      block,
      `block ${at} of ${previous.length} is not what the model saw in the request before`,
    );
  }
  return next.slice(previous.length);
}
