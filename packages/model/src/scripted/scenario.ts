/** Scenario: what a scripted model will answer, as data. `parse.ts` makes it from YAML; the format is documented in docs/scripted.md. */
import type { FinishReason, JsonObject, Price, Usage } from "@yoi/base";
import type { FailedUsage, ModelCapabilities, ModelFailure } from "../model.ts";

export interface ScriptedBlock {
  readonly block: "text" | "reasoning" | "tool_call";
  /** The whole text, or the raw JSON text of the arguments. */
  readonly text: string;
  /** tool_call only. */
  readonly name?: string;
  /** tool_call only: the id that a provider would have given. */
  readonly providerCallId?: string;
  readonly metadata?: JsonObject;
}

/** A failed sending of the same bytes before the one that gets through. */
export interface ScriptedRetry {
  readonly waitMs: number;
  readonly failure: ModelFailure;
  readonly usage: FailedUsage;
}

export interface ExpectedResult {
  /** The tool's name. */
  readonly name?: string;
  readonly error?: boolean;
  /** Texts that summary or content contain. */
  readonly contains: readonly string[];
}

/** What the request must look like; every given part must hold. */
export interface Expectation {
  readonly items?: number;
  /** Texts in the last user message or system item. */
  readonly lastInput: readonly string[];
  /** Texts in the system prompt. */
  readonly system: readonly string[];
  /** Tools that must be offered. */
  readonly tools: readonly string[];
  /** The results of the last answer's calls, in call order: exactly these. */
  readonly results?: readonly ExpectedResult[];
}

export interface Attempt {
  /** 1-based line in the scenario file. */
  readonly line: number;
  readonly expect: Expectation;
  /** Wait before the first event. */
  readonly delayMs: number;
  /** Wait before each delta. */
  readonly paceMs: number;
  /** UTF-16 code units a delta. */
  readonly chunk: number;
  readonly retries: readonly ScriptedRetry[];
  readonly blocks: readonly ScriptedBlock[];
  /** Deltas of all blocks take turns instead of coming block by block. */
  readonly interleave: boolean;
  /** The stream ends after this many characters of all blocks together. */
  readonly cutAfter?: number;
  /** Ends the stream instead of a finish. */
  readonly failure?: ModelFailure;
  readonly finish: Exclude<FinishReason, "interrupted">;
  readonly usage?: Usage;
}

export interface Step {
  readonly name: string;
  /** At least one. A broken answer moves on to the next; the last one repeats. */
  readonly attempts: readonly [Attempt, ...Attempt[]];
}

/** What is answered to an input that contains all of `to`, whenever it comes. */
export interface Reaction {
  readonly to: readonly string[];
  /** Only to the first such input: the next one is as if this reaction were not there. */
  readonly once: boolean;
  readonly steps: readonly Step[];
}

export interface Scenario {
  readonly file: string;
  readonly contextWindow: number;
  readonly outputTokensMax: number;
  readonly capabilities: ModelCapabilities;
  /** Null: what its requests cost is not known. */
  readonly price: Price | null;
  readonly steps: readonly Step[];
  /** Empty: all is answered by `steps`, in their order. */
  readonly reactions: readonly Reaction[];
  /** Where there are reactions: the answer when none of them and no step is due. Undefined: there is none. */
  readonly otherwise: Step | undefined;
  /** What a compactor answers, each one from the first step on; null: it fails, and rules compact. */
  readonly compactor: readonly Step[] | null;
}
