/** Rewinding on the wire: the places of a Pod's history that are offered, the one that is chosen, and what came of it. */
import { type InputPart, isSkillName, skillNameCharsMax } from "@yoi/base";
import type { Fields } from "./fields.ts";
import { entryIdCharsMax, pathCharsMax, rewindTargetsMax } from "./limits.ts";
import { Fault } from "./parse-line.ts";

export interface ListRewindTargetsParams {
  /** 1 to 10,000; absent: 50. */
  readonly limit?: number;
  /** Id of a target of an earlier list: only those older than that. */
  readonly older_than?: string;
}
/** Which side of an entry history ends on. Before an input: before the run that it began. */
export type RewindSide = "behind" | "before";
export interface RewindTargetView {
  /** Of an entry, in whichever segment it was written first: `57`, `2-57`. */
  readonly id: string;
  readonly side: RewindSide;
  readonly kind: "input" | "turn";
  readonly segment: string;
  readonly generation: number;
  /** Completed turns that history has there. */
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  /** One line of at most 120 characters. */
  readonly preview: string;
  /** Calls since, of tools that do more than read; null: the place is on a branch that was left. */
  readonly effects: number | null;
}
export interface ListRewindTargetsResult {
  /** Id of the last entry on record. */
  readonly head: string;
  /** Newest first. */
  readonly targets: readonly RewindTargetView[];
  /** There are older ones. */
  readonly more: boolean;
}
export interface RewindParams {
  /** Of any entry, also one that is no target of a list. */
  readonly id: string;
  readonly side: RewindSide;
  /** `head` of the list: refused where the Pod went on since. Absent: whatever came since is left behind too. */
  readonly expected_head?: string;
  /** Files that the tools touched since are put back, where that can be. Absent: false. */
  readonly files?: boolean;
}
/** What became of a file that the tools touched; `restorable`: it is as it was left, and could be put back. */
export type FileOutcome = (typeof fileOutcomes)[number];
export interface FileView {
  readonly path: string;
  readonly outcome: FileOutcome;
  readonly why?: string;
}
export interface RewindResult {
  /** The segment that history goes on in. */
  readonly segment: string;
  readonly generation: number;
  /** Id of the last entry that was kept. */
  readonly kept: string;
  /** Id of the last entry that was left behind: going back to it undoes this. */
  readonly left: string;
  /** Completed turns. */
  readonly turns: number;
  /** The input before which history ends now; null: it ends elsewhere. */
  readonly input: readonly InputPart[] | null;
  /** Calls of tools that do more than read: what they did stands. */
  readonly effects: number;
  /** Files touched since, which are as they were left. */
  readonly touched: readonly string[];
  /** Each of the files touched since. */
  readonly files: readonly FileView[];
  /** How many more were touched, which no record names. */
  readonly files_lost: number;
  /** Notifications that wait again. */
  readonly again: number;
}

export const fileOutcomes = [
  "restorable",
  "restored",
  "removed",
  "unchanged",
  "changed_since",
  "not_kept",
  "out_of_scope",
  "failed",
] as const;
const sides: readonly RewindSide[] = ["behind", "before"];

export function readListRewindTargetsParams(params: Fields): ListRewindTargetsParams {
  return {
    ...(params.has("limit") ? { limit: readLimit(params) } : {}),
    ...(params.has("older_than") ? { older_than: params.text("older_than", entryIdCharsMax, 1) } : {}),
  };
}

function readLimit(params: Fields): number {
  const limit = params.count("limit", 1);
  if (limit <= rewindTargetsMax) return limit;
  throw new Fault(`${params.at("limit")} is to be at most ${rewindTargetsMax}, and is ${limit}.`);
}

export function readRewindParams(params: Fields): RewindParams {
  return {
    id: params.text("id", entryIdCharsMax, 1),
    side: params.oneOf("side", sides),
    ...(params.has("expected_head")
      ? { expected_head: params.text("expected_head", entryIdCharsMax, 1) }
      : {}),
    ...(params.has("files") ? { files: params.flag("files") } : {}),
  };
}

export function readListRewindTargetsResult(fields: Fields): ListRewindTargetsResult {
  return {
    head: fields.string("head"),
    targets: fields.list("targets", readTarget),
    more: fields.flag("more"),
  };
}

function readTarget(fields: Fields): RewindTargetView {
  return {
    id: fields.string("id"),
    side: fields.oneOf("side", sides),
    kind: fields.oneOf("kind", ["input", "turn"]),
    segment: fields.string("segment"),
    generation: fields.count("generation"),
    turn: fields.count("turn"),
    ts: fields.number("ts"),
    preview: fields.string("preview"),
    effects: fields.nullOr("effects", (name) => fields.count(name)),
  };
}

export function readRewindResult(fields: Fields): RewindResult {
  return {
    segment: fields.string("segment"),
    generation: fields.count("generation"),
    kept: fields.string("kept"),
    left: fields.string("left"),
    turns: fields.count("turns"),
    input: fields.nullOr("input", (name) => fields.list(name, readPart)),
    effects: fields.count("effects"),
    touched: fields.strings("touched"),
    files: fields.list("files", readFile),
    files_lost: fields.count("files_lost"),
    again: fields.count("again"),
  };
}

function readFile(fields: Fields): FileView {
  return {
    path: fields.string("path"),
    outcome: fields.oneOf("outcome", fileOutcomes),
    ...(fields.has("why") ? { why: fields.string("why") } : {}),
  };
}

/** A piece of an input. */
export function readPart(fields: Fields): InputPart {
  const type = fields.oneOf("type", ["text", "file_ref", "skill_ref"]);
  switch (type) {
    case "text":
      return { type, text: fields.text("text") };
    case "file_ref": {
      const path = fields.text("path", pathCharsMax, 1);
      if (path.includes("\0")) throw new Fault(`${fields.at("path")} holds a NUL character: no path does.`);
      return { type, path };
    }
    case "skill_ref": {
      const name = fields.text("name", skillNameCharsMax, 1);
      if (!isSkillName(name))
        throw new Fault(
          `${fields.at("name")} is no name of a skill: these are lower-case letters, digits and single hyphens.`,
        );
      return { type, name };
    }
  }
}
