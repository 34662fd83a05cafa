/** Carry-over: what stands first in a compacted history, each kind an item of its own that the next compaction finds again. Pure. */
import { type CommittedItem, type SystemItem, utf8Length } from "@yoi/base";
import type { ShownRecord } from "@yoi/tools";
import { saidByUser } from "./demands.ts";
import { carriedOver } from "./history-parts.ts";
import { cutWithMark, oneLine } from "./item-lines.ts";
import { readFilesItem } from "./read-files.ts";
import { addToAccount, readAccount, type Summary, summaryItem } from "./summary.ts";
import { addInputs, inputsBytesMax, readUserInputs, userInputsItem } from "./user-inputs.ts";

/** What a feature tells a model of the session as it is now. */
export interface FeatureText {
  readonly feature: string;
  readonly text: string;
}

export interface CarryOverInput {
  /** All of the old history: what an earlier compaction carried over is in it. */
  readonly items: readonly CommittedItem[];
  readonly summary: Summary | null;
  readonly featureTexts: readonly FeatureText[];
  /** The one used last is last. */
  readonly readFiles: readonly ShownRecord[];
}

/** What becomes of the old items. */
export interface Leaving {
  /** No longer part of history. */
  readonly left: readonly CommittedItem[];
  /** Those among them that no summary can tell of. */
  readonly untold: readonly CommittedItem[];
  /** Inputs that may stay as a beginning only. */
  readonly cut: readonly CommittedItem[];
}

/** Of the texts that the model reads, in bytes. What a record keeps does not depend on it. */
export interface CarryRoom {
  readonly summary: number;
  readonly inputs: number;
  /** Of all features together. */
  readonly features: number;
  readonly files: number;
}

/** So little is told where there is hardly any room. What it is told of goes on all the same. */
const bareRoom: CarryRoom = { summary: 240, inputs: 320, features: 0, files: 0 };
/** Hundredths of the tokens that the head leaves. */
const shares: CarryRoom = { summary: 20, inputs: 25, features: 15, files: 8 };
/** In bytes; that of the summary is set. */
const featuresBytesMax = 64 * 1024;
const filesBytesMax = 16 * 1024;
/** A text of a feature that has room for less is left out. */
const featureBytesMin = 64;

/** @param bytesMax of all that may be told. @param share of what is told at most. */
export function carryRoom(bytesMax: number, share: number, summaryBytesMax: number): CarryRoom {
  const most: CarryRoom = {
    summary: summaryBytesMax,
    inputs: inputsBytesMax * 2,
    features: featuresBytesMax,
    files: filesBytesMax,
  };
  const of = (key: keyof CarryRoom): number =>
    Math.max(bareRoom[key], Math.floor(Math.min(most[key], (bytesMax * shares[key]) / 100) * share));
  return { summary: of("summary"), inputs: of("inputs"), features: of("features"), files: of("files") };
}

/** Only what the user said stays a demand; what a compactor made of other texts is told as the summary's own words. */
export function ofTheUser(summary: Summary, items: readonly CommittedItem[]): Summary {
  const { inputs } = readUserInputs(carriedOver(items, "user_inputs"));
  const { said, unsaid } = saidByUser(summary.constraints, items, inputs);
  if (unsaid.length === 0) return summary;
  const told = unsaid.map((one) => `- ${oneLine(one)}`);
  const text = [
    summary.text.trim(),
    "",
    "Taken for demands, though the user never said so in these words:",
    ...told,
  ];
  return { ...summary, text: text.join("\n"), constraints: said };
}

export function carryOverItems(
  { items, summary, featureTexts, readFiles }: CarryOverInput,
  { left, untold, cut }: Leaving,
  room: CarryRoom,
): readonly SystemItem[] {
  const before = carriedOver(items, "summary");
  const account = addToAccount(readAccount(before), summary, summary === null ? left : untold);
  const inputs = addInputs(readUserInputs(carriedOver(items, "user_inputs")), [...left, ...cut], summary);
  return [
    summaryItem(account, room.summary, before !== null || left.length > 0),
    userInputsItem(inputs, room.inputs),
    ...featureItems(featureTexts, room.features),
    readFilesItem(readFiles, room.files),
  ].filter((item) => item !== null);
}

/** Each has the same share of the room; what one leaves, those behind it have. */
function featureItems(features: readonly FeatureText[], bytesMax: number): readonly SystemItem[] {
  let room = bytesMax;
  let left = features.length;
  return features.flatMap(({ feature, text }): readonly SystemItem[] => {
    const share = Math.floor(room / left);
    left -= 1;
    if (share < featureBytesMin) return [];
    const body = cutWithMark(text, share);
    room -= utf8Length(body);
    return [
      {
        type: "system_item",
        kind: "feature_state",
        source: feature,
        reason: "what it knows of the session, as history was compacted",
        body,
      },
    ];
  });
}
