/** Any answer of Gemini, in any pieces: its parts become blocks in their order, and go back with their signatures where they came. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "@yoi/base";
import { googleEvent, googleFrame } from "../../../../test/support/google-server.ts";
import { committed, itemsOf, read, requestOf, result, user, type ReadAnswer } from "../support.ts";
import { bench, partsOf } from "./bench.ts";

const seed = 20_261_122;
const count = 60;

interface Text {
  readonly thought: boolean;
  readonly text: string;
  readonly signature?: string;
}
interface Call {
  readonly args: JsonObject;
  readonly signature?: string;
}
type Part = Text | Call;

const signature = fc.base64String({ minLength: 4, maxLength: 8 });
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record(
    { thought: fc.boolean(), text: fc.string({ unit: "grapheme", maxLength: 6 }), signature },
    { requiredKeys: ["thought", "text"] },
  ),
  fc.record(
    {
      args: fc.dictionary(
        fc.constantFrom("a", "é"),
        fc.oneof(fc.string(), fc.nat()),
      ) as fc.Arbitrary<JsonObject>,
      signature,
    },
    { requiredKeys: ["args"] },
  ),
);
/** Parts, and how many of them each event has. */
const answer = fc.record({
  parts: fc.array(part, { minLength: 1, maxLength: 10 }),
  sizes: fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
});

function wirePart(one: Part): object {
  const signed = one.signature === undefined ? {} : { thoughtSignature: one.signature };
  if ("args" in one) return { functionCall: { name: "read", args: one.args }, ...signed };
  return { text: one.text, ...(one.thought && { thought: true }), ...signed };
}

function eventsOf({ parts, sizes }: { parts: readonly Part[]; sizes: Iterator<number> }): object[] {
  const counts = { promptTokenCount: 1 };
  const events: object[] = [];
  for (let at = 0; at < parts.length;) {
    const size: number = sizes.next().value;
    events.push(googleEvent(parts.slice(at, at + size).map(wirePart), counts));
    at += size;
  }
  return [...events, googleEvent([], counts, { finishReason: "STOP" })];
}

interface Block {
  readonly block: "text" | "reasoning" | "tool_call";
  text: string;
  signature: string | undefined;
}

/** Texts of one kind that follow each other are one block; a signature without text belongs to the text before it, else it is a block of its own. */
function blocksOf(parts: readonly Part[]): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const one of parts) {
    if ("args" in one) {
      blocks.push({ block: "tool_call", text: JSON.stringify(one.args), signature: one.signature });
      open = null;
      continue;
    }
    const block = one.thought ? "reasoning" : "text";
    if (one.text === "" && one.signature === undefined) continue;
    if (one.text === "" ? open?.block === "text" : open?.block === block) {
      if (open === null) continue;
      open.text += one.text;
      open.signature = one.signature ?? open.signature;
      continue;
    }
    const next: Block = { block, text: one.text, signature: one.signature };
    blocks.push(next);
    open = one.text === "" ? null : next;
  }
  return blocks;
}

/** What of the blocks goes back: no thought without a signature, no blank text without one; the first call always has one, if only the marker. */
function backOf(blocks: readonly Block[]): object[] {
  let signedCall = false;
  return blocks.flatMap(({ block, text, signature: own }, index): object[] => {
    const signed = own === undefined ? {} : { thoughtSignature: own };
    switch (block) {
      case "reasoning":
        return own === undefined ? [] : [{ text, thought: true, ...signed }];
      case "text":
        return own === undefined && text.trim() === "" ? [] : [{ text, ...signed }];
      case "tool_call": {
        const marker =
          signedCall || own !== undefined ? {} : { thoughtSignature: "skip_thought_signature_validator" };
        signedCall ||= own !== undefined;
        const args = JSON.parse(text) as JsonObject;
        return [{ functionCall: { id: `call_2_${index}`, name: "read", args }, ...marker, ...signed }];
      }
    }
  });
}

function shown(read_: ReadAnswer): Block[] {
  return committed(read_).map((one) => {
    const { block, text, metadata } = one as Block & { metadata?: { google: { thoughtSignature: string } } };
    return { block, text, signature: metadata?.google.thoughtSignature };
  });
}

test(`${count} answers of random parts make the round trip (seed ${seed})`, () => {
  const cases = fc.sample(answer, { seed, numRuns: count }).filter(({ parts }) => blocksOf(parts).length > 0);
  assert.ok(cases.length > count / 2);
  const done = { blocks: [{ type: "text", text: "x" } as const] };
  const answers = cases.flatMap((one) => [{ raw: eventsOf(one).map(googleFrame).join("") }, done]);
  return bench(answers, async ({ model, requests }) => {
    for (const [at, { parts }] of cases.entries()) {
      const expected = blocksOf(parts);
      const context = `case ${at}: ${JSON.stringify(parts)}`;
      const first = await read(model, requestOf([user(1, "go")]));
      assert.deepEqual(shown(first), expected, context);
      const said = itemsOf(first, 2, 3, "google");
      const results = expected.flatMap(({ block }, index) =>
        block === "tool_call" ? [result(100 + index, 2, index, "ok")] : [],
      );
      await read(model, requestOf([user(1, "go"), ...said, ...results]));
      const back = partsOf(requests[2 * at + 1]?.body).filter(({ role }) => role === "model");
      assert.deepEqual(
        back.map(({ role: _, ...one }) => one),
        backOf(expected),
        context,
      );
    }
  });
});
