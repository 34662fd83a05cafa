/**
 * OpenAI's models. Limits and standard rates from developers.openai.com/api/docs (models, pricing), as of 2026-11-05; where its pages were
 * not at hand, from what resellers quote of them. Sources that contradict each other give no price.
 */
import type { Price, TokenRates } from "@yoi/base";
import { rates, type ModelEntry } from "./entry.ts";

const gpt = (id: string, contextWindow: number, price: Price | null): ModelEntry => ({
  provider: "openai",
  id,
  contextWindow,
  outputMax: 128_000,
  images: true,
  midSystem: false,
  price,
});

/** Rates of a request with up to 272,000 tokens in its prompt, and of one with more. */
const tiered = (base: TokenRates, long: TokenRates): Price => ({
  ...base,
  long: { over_tokens: 272_000, ...long },
});

/** Newest first. Those before GPT-5.6 take nothing extra for writing the cache. */
export const openAiModels: readonly ModelEntry[] = [
  gpt("gpt-6.2-sol", 1_050_000, tiered(rates(2, 10, 0.1, 2.5), rates(4, 15, 0.2, 5))),
  gpt("gpt-6.1-sol", 1_050_000, tiered(rates(2, 10, 0.1, 2.5), rates(4, 15, 0.2, 5))),
  gpt("gpt-6-astra", 1_050_000, tiered(rates(10, 50, 1, 12.5), rates(20, 75, 2, 25))),
  gpt("gpt-6-sol", 1_050_000, tiered(rates(2, 10, 0.2, 2.5), rates(4, 15, 0.4, 5))),
  gpt("gpt-6-luna", 1_050_000, tiered(rates(0.1, 0.5, 0.01, 0.125), rates(0.2, 0.75, 0.02, 0.25))),
  gpt("gpt-5.6-sol", 1_050_000, null),
  gpt("gpt-5.6-terra", 1_050_000, tiered(rates(2, 12, 0.2, 2.5), rates(4, 18, 0.4, 5))),
  gpt("gpt-5.6-luna", 1_050_000, tiered(rates(0.2, 1.2, 0.02, 0.25), rates(0.4, 1.8, 0.04, 0.5))),
  gpt("gpt-5.5", 1_050_000, tiered(rates(5, 30, 0.5, 5), rates(10, 45, 1, 10))),
  gpt("gpt-5.4", 1_050_000, tiered(rates(2.5, 15, 0.25, 2.5), rates(5, 22.5, 0.5, 5))),
  gpt("gpt-5.2", 400_000, rates(1.75, 14, 0.175, 1.75)),
  gpt("gpt-5.1", 400_000, rates(1.25, 10, 0.125, 1.25)),
  gpt("gpt-5-mini", 400_000, rates(0.25, 2, 0.025, 0.25)),
];
