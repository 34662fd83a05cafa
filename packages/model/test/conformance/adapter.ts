/** What the conformance suite is handed, and the answers and tools that its parts share. */
import { test } from "node:test";
import type { JsonObject, Usage } from "@yoi/base";
import type { FailureKind, Model } from "@yoi/model";
import {
  defaultUsage,
  rawArguments,
  type Answer,
  type AnswerBlock,
  type Dialect,
  type ServerUsage,
  type StreamAnswer,
  type StreamError,
} from "../../../../test/support/provider-answer.ts";
import type { RecordedRequest } from "../../../../test/support/provider-server.ts";
import { requestOf, user } from "../support.ts";

export interface Bench {
  /** The bare adapter: no retry, no idle timeout. */
  readonly model: Model;
  /** Where the server listens. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly connections: () => number;
  arrived(count: number): Promise<void>;
}

/** What the suite has to know of a provider. Answers are described neutrally; the server puts them into the provider's words. */
export interface Adapter {
  readonly name: string;
  /** The key that is used, so that the suite can look for it where it must not be. */
  readonly key: string;
  readonly dialect: Dialect;
  /** Runs `body` with a server that gives `answers` and a model that talks to it, and takes both down. */
  bench(answers: readonly Answer[], body: (bench: Bench) => Promise<void>): Promise<void>;
  /** A refusal of that kind in the provider's words; null: it names no kind, the status has to tell. */
  refusal(
    status: number,
    kind: FailureKind | null,
    message: string,
    headers?: Record<string, string>,
  ): Answer;
  /** The provider's error for being overloaded, as it comes in a stream. */
  readonly overloaded: StreamError;
  /** The content blocks of a request's messages, each with its role, without cache marks. */
  blocks(body: unknown): readonly JsonObject[];
  /** System prompt and tools of a request, without cache marks. */
  head(body: unknown): unknown;
  /** How a system item of the host (kind notification) stands among the blocks. */
  systemItem(seq: number, body: string): JsonObject;
  /** The metadata that a block of an answer must come out with; its `index` counts from 0. */
  metadata(block: AnswerBlock, index: number): JsonObject | undefined;
  /** Its reasoning is signed, and the signature goes back. */
  readonly signs: boolean;
  /** Arguments travel as text: they can be written in any way, cut anywhere, and left out. Otherwise they come as one JSON object. */
  readonly argumentsAsText: boolean;
  /** What an answer with this usage is reported to have used. */
  usage(usage: ServerUsage): Usage;
  /** The same when the stream broke after the first delta. */
  usageSoFar(usage: ServerUsage): Usage;
  /** Frames that are none of the provider's, beyond those that are none of anybody's: each is a broken stream, wherever it comes. */
  readonly garbage: readonly string[];
  /** Events of a later version of the provider, each put after the first delta of a text: passed over. */
  readonly unknown: readonly string[];
}

/** The blocks that an answer must be committed as. */
export function blocksOf(adapter: Adapter, { blocks }: StreamAnswer): readonly unknown[] {
  return blocks.map((block, index) => {
    const metadata = adapter.metadata(block, index);
    const more = metadata === undefined ? {} : { metadata };
    switch (block.type) {
      case "text":
        return { block: "text", text: block.text, ...more };
      case "reasoning":
        return { block: "reasoning", text: block.text, ...more };
      case "redacted_reasoning":
        return { block: "reasoning", text: "", ...more };
      case "tool_call":
        return { block: "tool_call", name: block.name, text: argumentsOf(adapter, block), ...more };
    }
  });
}

function argumentsOf(adapter: Adapter, block: { readonly arguments: object | string }): string {
  const raw = rawArguments(block);
  if (adapter.argumentsAsText) return raw === "" ? "{}" : raw;
  return raw === "" ? "{}" : JSON.stringify(JSON.parse(raw));
}

export function usageOf({ usage }: StreamAnswer): ServerUsage {
  return { ...defaultUsage, ...usage };
}

export type Check = (name: string, answers: readonly Answer[], body: (bench: Bench) => Promise<void>) => void;

export function checks(adapter: Adapter): Check {
  return (name, answers, body) => {
    test(`${adapter.name}: ${name}`, () => adapter.bench(answers, body));
  };
}

export const plain: StreamAnswer = { blocks: [{ type: "text", text: "All good here, thank you." }] };

export const rich: StreamAnswer = {
  blocks: [
    { type: "reasoning", text: "I should read both files.", signature: "c2lnbmF0dXJl" },
    { type: "text", text: "Reading — ça va, 日本, 👩‍🚀." },
    { type: "tool_call", name: "read", arguments: { path: "a é 日" } },
    { type: "tool_call", name: "read", arguments: '{ "path" : "b" }' },
  ],
  usage: { input: 7, output: 41, cacheRead: 100, cacheWrite: 5 },
};
export const hello = requestOf([user(1, "hello")]);
