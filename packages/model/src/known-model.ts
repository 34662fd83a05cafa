/** What is known of a model: what the user says of it, else the catalog, else a careful guess. */
import { type Price, type ProviderKind, YoiError } from "@yoi/base";
import { contextWindowDefault, findModel, findProvider, outputMaxDefault, priceAt } from "./catalog.ts";
import type { ModelCapabilities, ModelLimits } from "./model.ts";

/** What the user says of a model; it wins over the catalog, part by part. */
export interface ModelFacts {
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly outputMax?: number;
  readonly images?: boolean;
  readonly midSystem?: boolean;
  readonly price?: Price;
}

export interface KnownModel {
  readonly limits: ModelLimits;
  readonly capabilities: ModelCapabilities;
  /** At a moment, in ms since the epoch: prices change. */
  readonly priceAt: (nowMs: number) => Price | null;
  /** False: its window is a guess. */
  readonly windowKnown: boolean;
}

export interface ModelQuestion {
  readonly provider: string;
  readonly kind: ProviderKind;
  readonly id: string;
  readonly facts: ModelFacts;
}

/** Throws config_invalid for limits that are none. */
export function knownModel({ provider, kind, id, facts }: ModelQuestion): KnownModel {
  // The user's own provider of a built-in name has those models only where it is of that kind.
  const entry = findProvider(provider)?.kind === kind ? findModel(provider, id) : null;
  const contextWindow = tokens(facts.contextWindow, "context_window") ?? entry?.contextWindow;
  // Such a server refuses a request whose prompt and output limit are together more than its window, which may be small.
  const outputMaxUnsaid = kind === "openai-compatible" ? null : outputMaxDefault;
  return {
    limits: {
      contextWindow: contextWindow ?? contextWindowDefault,
      outputTokensMax: tokens(facts.outputMax, "max_output_tokens") ?? entry?.outputMax ?? outputMaxUnsaid,
    },
    capabilities: {
      images: facts.images ?? entry?.images ?? false,
      midSystem: facts.midSystem ?? entry?.midSystem ?? false,
    },
    priceAt: (nowMs) => facts.price ?? (entry === null ? null : priceAt(entry, nowMs)),
    windowKnown: contextWindow !== undefined,
  };
}

function tokens(value: number | undefined, name: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value;
  throw new YoiError("config_invalid", `${name} is ${value}: set it to a whole number of tokens above 0.`);
}
