/**
 * Anthropic's models. Limits and rates from platform.claude.com/docs (models overview, pricing), as of 2026-10-24; a cache write is kept for
 * five minutes, which is what this yoi asks for.
 */
import type { Price } from "@yoi/base";
import { rates, type ModelEntry } from "./entry.ts";

const claude = (id: string, contextWindow: number, outputMax: number, price: Price): ModelEntry => ({
  provider: "anthropic",
  id,
  contextWindow,
  outputMax,
  images: true,
  midSystem: false,
  price,
});

const haiku55: Price = {
  ...rates(0.1, 0.5, 0.01, 0.125),
  long: { over_tokens: 100_000, ...rates(0.5, 2.5, 0.05, 0.625) },
};

/** Newest first. */
export const anthropicModels: readonly ModelEntry[] = [
  claude("claude-opus-5-5", 1_000_000, 128_000, rates(4, 20, 0.2, 5)),
  claude("claude-sonnet-5-5", 1_000_000, 128_000, rates(2, 10, 0.1, 2.5)),
  claude("claude-haiku-5-5", 1_000_000, 128_000, haiku55),
  claude("claude-fable-5-1", 1_000_000, 128_000, rates(10, 50, 0.25, 12.5)),
  claude("claude-fable-5", 1_000_000, 128_000, rates(10, 50, 1, 12.5)),
  claude("claude-opus-5", 1_000_000, 128_000, rates(5, 25, 0.5, 6.25)),
  claude("claude-sonnet-5", 1_000_000, 128_000, rates(2, 10, 0.2, 2.5)),
  claude("claude-opus-4-8", 1_000_000, 128_000, rates(5, 25, 0.5, 6.25)),
  claude("claude-opus-4-7", 1_000_000, 128_000, rates(5, 25, 0.5, 6.25)),
  claude("claude-opus-4-6", 1_000_000, 128_000, rates(5, 25, 0.5, 6.25)),
  claude("claude-sonnet-4-6", 1_000_000, 128_000, rates(3, 15, 0.3, 3.75)),
  claude("claude-opus-4-5", 200_000, 64_000, rates(5, 25, 0.5, 6.25)),
  claude("claude-haiku-4-5", 200_000, 64_000, rates(1, 5, 0.1, 1.25)),
  claude("claude-sonnet-4-5", 200_000, 64_000, rates(3, 15, 0.3, 3.75)),
  claude("claude-opus-4-1", 200_000, 32_000, rates(15, 75, 1.5, 18.75)),
];
