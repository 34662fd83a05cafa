/** user_inputs: what the user asked for, word for word, and what they demand, over all compactions. Kept as a record, so that no summary can lose it. Pure. */
import {
  cutUtf8,
  flattenInput,
  idOf,
  isJsonObject,
  type CommittedItem,
  type JsonObject,
  type JsonValue,
  type SystemItem,
  utf8Length,
} from "@yoi/base";
import { hostSource } from "./history-parts.ts";

/** UTF-8 bytes of all inputs that are kept: about 8,000 tokens. */
export const inputsBytesMax = 32_000;
/** Of the first and the last one each. */
const endInputBytesMax = 12_000;
/** What is kept of another one at most. */
const otherInputBytesMax = 2_000;
/** One that has less room than this is left out, and counted. */
const inputBytesMin = 80;
/** Of each, beside its text. */
const inputExtraBytes = 48;

/** Of what the user demands: the oldest stay. */
export const constraintsMax = 64;
/** UTF-8 bytes of each. */
export const constraintBytesMax = 512;

export interface KeptInput {
  readonly id: string;
  /** Whole, or its beginning. */
  readonly text: string;
  /** UTF-8 bytes of the whole. */
  readonly bytes: number;
}

export interface UserInputs {
  /** Oldest first. */
  readonly inputs: readonly KeptInput[];
  /** Inputs of which nothing is kept here. */
  readonly leftOut: number;
  readonly constraints: readonly string[];
}

export const noInputs: UserInputs = Object.freeze({ inputs: [], leftOut: 0, constraints: [] });

/** What is known so far, with the inputs among `items` that leave history, or stay in it cut, and with more constraints. */
export function addInputs(
  before: UserInputs,
  items: readonly CommittedItem[],
  constraints: readonly string[],
): UserInputs {
  const known = new Set(before.inputs.map(({ id }) => id));
  const added = items.flatMap((one): readonly KeptInput[] => {
    const id = idOf(one);
    if (one.item.type !== "user_message" || known.has(id)) return [];
    const text = flattenInput(one.item.parts);
    return [{ id, text, bytes: utf8Length(text) }];
  });
  const { inputs, leftOut } = fitInputs([...before.inputs, ...added], inputsBytesMax);
  return {
    inputs,
    leftOut: before.leftOut + leftOut,
    constraints: addConstraints(before.constraints, constraints),
  };
}

function addConstraints(before: readonly string[], more: readonly string[]): readonly string[] {
  const all = [...before, ...more].map((one) =>
    cutUtf8(one.trim().replace(/\s+/g, " "), constraintBytesMax).trim(),
  );
  return [...new Set(all)].filter((one) => one !== "").slice(0, constraintsMax);
}

/** At most `bytesMax` bytes of them, room for the newest and then the oldest first. What is not whole is a beginning. */
function fitInputs(
  all: readonly KeptInput[],
  bytesMax: number,
): { readonly inputs: readonly KeptInput[]; readonly leftOut: number } {
  const order = [...all.keys()].reverse();
  // Newest, oldest, then from the newest on.
  const first = order.pop();
  if (first !== undefined) order.splice(1, 0, first);
  const fitted = new Map<number, KeptInput>();
  let room = bytesMax;
  for (const index of order) {
    const one = all[index];
    if (one === undefined) continue;
    const isEnd = index === 0 || index === all.length - 1;
    const most = isEnd ? Math.min(endInputBytesMax, Math.floor(bytesMax / 2)) : otherInputBytesMax;
    const left = Math.min(room - inputExtraBytes, most);
    if (utf8Length(one.text) > left && left < inputBytesMin) continue;
    const text = cutUtf8(one.text, left);
    fitted.set(index, { ...one, text });
    room -= utf8Length(text) + inputExtraBytes;
  }
  const inputs = [...all.keys()].flatMap((index) => fitted.get(index) ?? []);
  return { inputs, leftOut: all.length - inputs.length };
}

/** Null: there is nothing to tell. @param bytesMax of the text that the model reads; the record is kept whole. */
export function userInputsItem(known: UserInputs, bytesMax: number): SystemItem | null {
  if (known.inputs.length === 0 && known.constraints.length === 0 && known.leftOut === 0) return null;
  return {
    type: "system_item",
    kind: "user_inputs",
    source: hostSource,
    reason: "what the user asked for before history was compacted",
    body: bodyOf(known, bytesMax),
    record: recordOf(known),
  };
}

/** What they demand comes first, and has up to half of the room. */
function bodyOf({ inputs, leftOut, constraints }: UserInputs, bytesMax: number): string {
  const demands: string[] = [];
  let room = Math.floor(bytesMax / 2);
  for (const one of constraints) {
    room -= utf8Length(one) + 3;
    if (room < 0) break;
    demands.push(`- ${one}`);
  }
  const unsaid = constraints.length - demands.length;
  const said = demands.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
  const shown = fitInputs(inputs, bytesMax - said);
  const missing = leftOut + shown.leftOut;
  return [
    ...(constraints.length === 0 ? [] : ["What the user demands or forbids. It still holds:", ...demands]),
    ...(unsaid === 0 ? [] : [`- (${unsaid} more have no room here; SessionSearch finds them)`]),
    ...(shown.inputs.length === 0 ? [] : ["What the user asked for so far, oldest first, word for word:"]),
    ...shown.inputs.map(inputLine),
    ...(missing === 0 ? [] : [`(${missing} more inputs have no room here; SessionSearch finds them)`]),
  ].join("\n");
}

function inputLine({ id, text, bytes }: KeptInput): string {
  const left = bytes - utf8Length(text);
  return `[${id}] ${text}${left === 0 ? "" : ` [${left} bytes more; SessionRead ${id} shows them]`}`;
}

function recordOf({ inputs, leftOut, constraints }: UserInputs): JsonObject {
  return {
    inputs: inputs.map(({ id, text, bytes }) => ({ id, text, bytes })),
    left_out: leftOut,
    constraints: [...constraints],
  };
}

/** Of the item that an earlier compaction wrote; null: there was none. What is no such record tells nothing. */
export function readUserInputs(item: SystemItem | null): UserInputs {
  const { inputs, left_out: leftOut, constraints } = item?.record ?? {};
  if (!Array.isArray(inputs) || !Array.isArray(constraints) || typeof leftOut !== "number") return noInputs;
  return {
    inputs: inputs.flatMap(readInput),
    leftOut,
    constraints: constraints.filter((one) => typeof one === "string"),
  };
}

function readInput(value: JsonValue): readonly KeptInput[] {
  const { id, text, bytes } = isJsonObject(value) ? value : {};
  if (typeof id !== "string" || typeof text !== "string" || typeof bytes !== "number") return [];
  return [{ id, text, bytes }];
}
