/** Whatever a provider's events become on the way (lost, twice, out of order, damaged, another provider's), an answer has one end and no open block in it. */
import assert from "node:assert/strict";
import { memoryHost } from "@yoi/host";
import { openModel } from "@yoi/model";
import type { StreamAnswer } from "../support/provider-answer.ts";
import { providerRows, startServerOf, type ProviderRow } from "../support/providers.ts";
import type { Proof } from "../support/proof.ts";
import { read, requestOf, user, type ReadAnswer } from "../../packages/model/test/support.ts";

const answer: StreamAnswer = {
  blocks: [
    { type: "reasoning", text: "Which file is it?", signature: "c2lnbmF0dXJl" },
    { type: "text", text: "Looking, voilà." },
    { type: "tool_call", name: "read", arguments: { path: "a" }, id: "same" },
    { type: "tool_call", name: "read", arguments: { path: "b" }, id: "same" },
  ],
  pieceLength: 6,
};
const rows = Object.values<ProviderRow>(providerRows);
const framesOf = ({ dialect }: ProviderRow, interleave: boolean): string[] =>
  dialect.frames({ ...answer, interleave }).map(({ text }) => text);

type Draw = (below: number) => number;

/** Words that a JSON text may hold in place of another value. */
const values = ["null", "7", "-1", '""', "[]", "{}", "true", "1e99", '"\\u0000"'];

const mutations: readonly ((frames: string[], draw: Draw) => void)[] = [
  (frames, draw) => void frames.splice(draw(frames.length), 1),
  (frames, draw) => {
    const at = draw(frames.length);
    frames.splice(at, 0, frames[at] ?? "");
  },
  (frames, draw) => {
    const [moved = ""] = frames.splice(draw(frames.length), 1);
    frames.splice(draw(frames.length + 1), 0, moved);
  },
  (frames, draw) => {
    const at = draw(frames.length);
    const frame = frames[at] ?? "";
    const cut = draw(frame.length + 1);
    frames[at] = frame.slice(0, cut) + frame.slice(cut + 1 + draw(3));
  },
  (frames, draw) => {
    const at = draw(frames.length);
    const found = [...(frames[at] ?? "").matchAll(/(?<=:)(?:"[^"\\]*"|-?\d+|null|true|false)/g)];
    const value = found[draw(Math.max(1, found.length))];
    if (value === undefined) return;
    const frame = frames[at] ?? "";
    const end = value.index + value[0].length;
    frames[at] = `${frame.slice(0, value.index)}${values[draw(values.length)]}${frame.slice(end)}`;
  },
  (frames, draw) => {
    const foreign = framesOf(rows[draw(rows.length)] ?? rows[0] ?? providerRows.anthropic, false);
    frames.splice(draw(frames.length + 1), 0, foreign[draw(foreign.length)] ?? "");
  },
];

async function answerTo(row: ProviderRow, raw: string, draw: Draw): Promise<ReadAnswer> {
  const server = await startServerOf(row, { answers: [{ raw }] });
  const host = memoryHost({ seed: draw(1_000_000) });
  const timers = { ...host.timers, sleep: async () => {} };
  const { provider, id } = row;
  const { model } = await openModel({
    provider,
    id,
    apiKey: "k",
    baseUrl: server.url,
    ports: { ...host, timers },
  });
  try {
    return await read(model, requestOf([user(1, "go")]));
  } finally {
    await model.close?.();
    await server.close();
  }
}

function mutationsOf(row: ProviderRow): Proof {
  return {
    name: `an answer of ${row.provider} has one end, whatever its events become on the way`,
    cases: { test: 24, prove: 5_000 },
    async check(index) {
      const { random } = memoryHost({ seed: index + 1 });
      const draw: Draw = (below) => Math.floor(random.next() * below);
      const frames = framesOf(row, index % 2 === 1);
      // Control: as it was sent it is whole.
      for (let left = index === 0 ? 0 : 1 + draw(3); left > 0; left -= 1)
        if (frames.length > 0) mutations[draw(mutations.length)]?.(frames, draw);
      const { terminal, blocks } = await answerTo(row, frames.join(""), draw);
      if (index === 0) assert.equal(terminal.type, "finish");
      for (const [at, { text, streamed }] of blocks.entries()) {
        if (terminal.type === "finish") assert.ok(text !== null, `block ${at} of a whole answer has no end`);
        if (text !== null && streamed !== "") assert.equal(text, streamed);
      }
      for (const count of Object.values(terminal.usage ?? {}))
        assert.ok(Number.isSafeInteger(count) && count >= 0);
      if (terminal.type === "failure") assert.match(terminal.failure.message, /^[^\n]+\.$/);
    },
  };
}

export const anthropicMutations = mutationsOf(providerRows.anthropic);
export const openAiMutations = mutationsOf(providerRows.openai);
export const googleMutations = mutationsOf(providerRows.google);
export const openAiCompatibleMutations = mutationsOf(providerRows.openAiCompatible);
