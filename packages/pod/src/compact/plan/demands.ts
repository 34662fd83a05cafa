/** Demands: what the user demands or forbids for good, in the user's own words, until the user takes it back. Kept as a record over all compactions. Pure. */
import {
  type CommittedItem,
  cutUtf8,
  flattenInput,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@yoi/base";
import type { KeptInput } from "./user-inputs.ts";

/** Of those that hold: as many of the oldest stay as of the newest. */
export const demandsMax = 64;
/** UTF-8 bytes of each. */
export const demandBytesMax = 512;
/** Of those that were taken back: the newest. */
export const withdrawnMax = 32;

/** One that no longer holds. */
export interface WithdrawnDemand {
  /** That it had for the compactor which found that it was taken back. */
  readonly number: number;
  readonly text: string;
}

export interface Demands {
  /** Oldest first. A compactor knows them by their places, the first is 1. */
  readonly holding: readonly string[];
  readonly withdrawn: readonly WithdrawnDemand[];
  /** That held when there was no more room. */
  readonly dropped: number;
}

export const noDemands: Demands = Object.freeze({ holding: [], withdrawn: [], dropped: 0 });

export interface DemandsFound {
  readonly constraints: readonly string[];
  /** Numbers; of one that is no demand's nothing is taken back. */
  readonly withdrawn: readonly number[];
}

export function addDemands(before: Demands, { constraints, withdrawn }: DemandsFound): Demands {
  const found = new Set(constraints.map(normal));
  // Who takes one back and finds it again in one breath has not understood: it holds.
  const isGone = (text: string, at: number): boolean =>
    withdrawn.includes(at + 1) && !found.has(normal(text));
  const gone = before.holding.flatMap((text, at) => (isGone(text, at) ? [{ number: at + 1, text }] : []));
  const all = new Map<string, string>();
  for (const one of [...before.holding.filter((text, at) => !isGone(text, at)), ...constraints]) {
    const text = cutUtf8(one.trim().replace(/\s+/g, " "), demandBytesMax).trim();
    const key = normal(text);
    if (key !== "" && !all.has(key)) all.set(key, text);
  }
  const texts = [...all.values()];
  const over = Math.max(0, texts.length - demandsMax);
  return {
    holding: over === 0 ? texts : [...texts.slice(0, demandsMax / 2), ...texts.slice(-demandsMax / 2)],
    withdrawn: [...before.withdrawn, ...gone].slice(-withdrawnMax),
    dropped: before.dropped + over,
  };
}

/** Which of them the user said, word for word: what a tool's text put there is nobody's demand. */
export function saidByUser(
  constraints: readonly string[],
  items: readonly CommittedItem[],
  inputs: readonly KeptInput[],
): { readonly said: readonly string[]; readonly unsaid: readonly string[] } {
  if (constraints.length === 0) return { said: [], unsaid: [] };
  const words = [
    ...inputs.map(({ text }) => text),
    ...items.flatMap(({ item }) => (item.type === "user_message" ? [flattenInput(item.parts)] : [])),
  ].map((text) => ` ${normal(text)} `);
  const isSaid = (one: string): boolean => words.some((text) => text.includes(` ${normal(one)} `));
  return {
    said: constraints.filter(isSaid),
    unsaid: constraints.filter((one) => normal(one) !== "" && !isSaid(one)),
  };
}

/** The same for texts that differ in case, spaces and punctuation alone. */
function normal(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, " ")
    .trim();
}

export function demandsRecord({ holding, withdrawn, dropped }: Demands): JsonObject {
  return {
    constraints: [...holding],
    withdrawn: withdrawn.map(({ number, text }) => ({ number, text })),
    dropped,
  };
}

/** Null: it is no such record. */
export function readDemands(record: JsonObject): Demands | null {
  const { constraints, withdrawn = [], dropped = 0 } = record;
  if (!Array.isArray(constraints) || !Array.isArray(withdrawn) || typeof dropped !== "number") return null;
  return {
    holding: constraints.filter((one) => typeof one === "string"),
    withdrawn: withdrawn.flatMap(readWithdrawn),
    dropped,
  };
}

function readWithdrawn(value: JsonValue): readonly WithdrawnDemand[] {
  const { number, text } = isJsonObject(value) ? value : {};
  return typeof number === "number" && typeof text === "string" ? [{ number, text }] : [];
}
