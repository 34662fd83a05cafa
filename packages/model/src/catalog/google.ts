/**
 * Google's models. Limits and paid-tier rates for text from ai.google.dev/gemini-api/docs (models, pricing), as of 2026-10-07. What the cache keeps by
 * itself costs nothing to write.
 */
import type { Price, TokenRates } from "@yoi/base";
import { rates, type ModelEntry } from "./entry.ts";

const gemini = (id: string, price: Price): ModelEntry => ({
  provider: "google",
  id,
  contextWindow: 1_048_576,
  outputMax: 65_536,
  images: true,
  midSystem: false,
  price,
});

/** Rates of a prompt of up to 200,000 tokens, and of a longer one. */
const tiered = (base: TokenRates, long: TokenRates): Price => ({
  ...base,
  long: { over_tokens: 200_000, ...long },
});

/** Newest first. */
export const googleModels: readonly ModelEntry[] = [
  {
    ...gemini("gemini-3.8-flash", rates(0.75, 3.75, 0.075, 0.75)),
    nextPrice: { fromMs: Date.UTC(2027, 0, 1), price: rates(1.5, 7.5, 0.15, 1.5) },
  },
  gemini("gemini-3.5-flash", rates(1.5, 9, 0.15, 1.5)),
  gemini("gemini-3.1-pro-preview", tiered(rates(2, 12, 0.2, 2), rates(4, 18, 0.4, 4))),
  gemini("gemini-3.1-flash-lite", rates(0.25, 1.5, 0.025, 0.25)),
  gemini("gemini-2.5-pro", tiered(rates(1.25, 10, 0.125, 1.25), rates(2.5, 15, 0.25, 2.5))),
  gemini("gemini-2.5-flash", rates(0.3, 2.5, 0.03, 0.3)),
];
