/** What the conformance suite is handed, and the answers and tools that its parts share. */
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import type { Model } from "@yoi/model";
import type { Answer, RecordedRequest, StreamAnswer } from "../../../../test/support/anthropic-server.ts";
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
  /** Runs `body` with a server that gives `answers` and a model that talks to it, and takes both down. */
  bench(answers: readonly Answer[], body: (bench: Bench) => Promise<void>): Promise<void>;
  refusal(status: number, type: string, message: string, headers?: Record<string, string>): Answer;
  /** The content blocks of a request's messages, each with its role, without cache marks. */
  blocks(body: unknown): readonly JsonObject[];
  /** System prompt and tools of a request, without cache marks. */
  head(body: unknown): unknown;
  /** The metadata that an answer's signed reasoning must come out with. */
  signed(signature: string): JsonObject;
}

export type Check = (name: string, answers: readonly Answer[], body: (bench: Bench) => Promise<void>) => void;

export function checks(adapter: Adapter): Check {
  return (name, answers, body) => {
    test(`${adapter.name}: ${name}`, () => adapter.bench(answers, body));
  };
}

export const plain: StreamAnswer = { blocks: [{ type: "text", text: "All good here, thank you." }] };
export const plainBlocks = [{ block: "text", text: "All good here, thank you." }];

export const rich: StreamAnswer = {
  blocks: [
    { type: "reasoning", text: "I should read both files.", signature: "c2lnbmF0dXJl" },
    { type: "text", text: "Reading — ça va, 日本, 👩‍🚀." },
    { type: "tool_call", name: "read", arguments: { path: "a é 日" } },
    { type: "tool_call", name: "read", arguments: '{ "path" : "b" }' },
  ],
  usage: { input: 7, output: 41, cacheRead: 100, cacheWrite: 5 },
};
export function richBlocks(adapter: Adapter): readonly unknown[] {
  return [
    { block: "reasoning", text: "I should read both files.", metadata: adapter.signed("c2lnbmF0dXJl") },
    { block: "text", text: "Reading — ça va, 日本, 👩‍🚀." },
    { block: "tool_call", name: "read", text: '{"path":"a é 日"}' },
    { block: "tool_call", name: "read", text: '{ "path" : "b" }' },
  ];
}

export const hello = requestOf([user(1, "hello")]);
