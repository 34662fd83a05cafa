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
import {
  addDemands,
  type Demands,
  type DemandsFound,
  demandsRecord,
  noDemands,
  readDemands,
} from "./demands.ts";
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
  readonly demands: Demands;
}

export const noInputs: UserInputs = Object.freeze({ inputs: [], leftOut: 0, demands: noDemands });

/** What is known so far, with the inputs among `items` that leave history, or stay in it cut, and with what a compactor found of demands. */
export function addInputs(
  before: UserInputs,
  items: readonly CommittedItem[],
  found: DemandsFound | null,
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
    demands: found === null ? before.demands : addDemands(before.demands, found),
  };
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
  const { inputs, leftOut, demands } = known;
  const { holding, withdrawn, dropped } = demands;
  if (inputs.length + leftOut + holding.length + withdrawn.length + dropped === 0) return null;
  return {
    type: "system_item",
    kind: "user_inputs",
    source: hostSource,
    reason: "what the user asked for before history was compacted",
    body: bodyOf(known, bytesMax),
    record: recordOf(known),
  };
}

/** What they demand comes first, and has up to half of the room; an eighth is for what they took back. */
function bodyOf({ inputs, leftOut, demands }: UserInputs, bytesMax: number): string {
  const { holding, withdrawn, dropped } = demands;
  const told = demandLines(holding, Math.floor(bytesMax / 2));
  const gone = demandLines(withdrawn.map(({ text }) => text).toReversed(), Math.floor(bytesMax / 8));
  const unsaid = holding.length - told.length + dropped;
  const said = [...told, ...gone].reduce((sum, line) => sum + utf8Length(line) + 1, 0);
  const shown = fitInputs(inputs, bytesMax - said);
  const missing = leftOut + shown.leftOut;
  return [
    ...(holding.length === 0 ? [] : [demandsTitle, ...told]),
    ...(unsaid === 0 ? [] : [`- (${unsaid} more have no room here; SessionSearch finds them)`]),
    ...(gone.length === 0 ? [] : ["What the user took back, which no longer holds:", ...gone]),
    ...(shown.inputs.length === 0 ? [] : ["What the user asked for so far, oldest first, word for word:"]),
    ...shown.inputs.map(inputLine),
    ...(missing === 0 ? [] : [`(${missing} more inputs have no room here; SessionSearch finds them)`]),
  ].join("\n");
}

const demandsTitle =
  "What the user demands or forbids. Where a later input of the user says otherwise, that counts:";

/** As many of the first as there is room for. */
function demandLines(texts: readonly string[], bytesMax: number): readonly string[] {
  let room = bytesMax;
  const last = texts.findIndex((text) => {
    room -= utf8Length(text) + 3;
    return room < 0;
  });
  return (last === -1 ? texts : texts.slice(0, last)).map((text) => `- ${text}`);
}

function inputLine({ id, text, bytes }: KeptInput): string {
  const left = bytes - utf8Length(text);
  return `[${id}] ${text}${left === 0 ? "" : ` [${left} bytes more; SessionRead ${id} shows them]`}`;
}

function recordOf({ inputs, leftOut, demands }: UserInputs): JsonObject {
  return {
    inputs: inputs.map(({ id, text, bytes }) => ({ id, text, bytes })),
    left_out: leftOut,
    ...demandsRecord(demands),
  };
}

/** Of the item that an earlier compaction wrote; null: there was none. What is no such record tells nothing. */
export function readUserInputs(item: SystemItem | null): UserInputs {
  const record = item?.record ?? {};
  const { inputs, left_out: leftOut } = record;
  const demands = readDemands(record);
  if (!Array.isArray(inputs) || demands === null || typeof leftOut !== "number") return noInputs;
  return { inputs: inputs.flatMap(readInput), leftOut, demands };
}

function readInput(value: JsonValue): readonly KeptInput[] {
  const { id, text, bytes } = isJsonObject(value) ? value : {};
  if (typeof id !== "string" || typeof text !== "string" || typeof bytes !== "number") return [];
  return [{ id, text, bytes }];
}
