/** One skill, read from its folder. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path/posix";
import { escapeControls, isSkillName, messageOf, YoiError } from "@yoi/base";
import type { SkillFault } from "./parse-skill.ts";
import { type Skill, skillBytesMax, type SkillProblem } from "./skill.ts";
import type { SkillPlace } from "./skill-place.ts";

export const skillFileName = "SKILL.md";

export interface ReadSkill {
  readonly skill: Skill;
  /** What stands behind its front matter. */
  readonly body: string;
  /** Of the whole SKILL.md. */
  readonly sha256: string;
  readonly place: SkillPlace;
  /** What is to be said of it though it can be used. */
  readonly remarks: readonly SkillProblem[];
}

/** Nothing is thrown for what lies there: it is a skill, or a problem. Null: there is no such folder. */
export async function readSkill(place: SkillPlace, folder: string): Promise<ReadSkill | SkillProblem | null> {
  const directory = join(place.directory, folder);
  const path = join(directory, skillFileName);
  try {
    if (!isSkillName(folder))
      return problem(
        directory,
        "its name is none of a skill: use lower-case letters, digits and single hyphens",
      );
    const { reader, source } = place;
    if (reader.owner(directory) === null) return null;
    if (place.withheld?.includes(folder) === true)
      return problem(directory, "yoi has one of this name, and only one in .yoi/skills can stand before it");
    const file = await reader.read(path, skillBytesMax);
    if (file === null) return problem(directory, `there is no ${skillFileName} in it`);
    const foreign = [place.directory, dirname(file.path), file.path].find(
      (one) => reader.owner(one) === "foreign",
    );
    if (foreign !== undefined) return problem(foreign, "it belongs to another user");
    // With its grammar: a Pod without skills does not load that.
    const { parseSkill } = await import("./parse-skill.ts");
    const parsed = parseSkill(textOf(file.bytes), folder);
    if (!parsed.ok) return problem(path, parsed.fault);
    return {
      skill: { ...parsed.head, source, path: file.path },
      body: parsed.body,
      sha256: createHash("sha256").update(file.bytes).digest("hex"),
      place,
      remarks: parsed.remarks.map((fault) => remark(path, fault)),
    };
  } catch (error) {
    return problem(path, messageOf(error).replace(/\.$/, ""));
  }
}

function textOf(bytes: Uint8Array): string {
  if (isUtf8(bytes) && !bytes.includes(0)) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  throw new YoiError("io_failed", "it is not UTF-8 text");
}

function problem(path: string, fault: string | SkillFault): SkillProblem {
  const { line, what } = typeof fault === "string" ? { line: null, what: fault } : fault;
  return said(path, line, `${lineText(path, line)} was skipped: ${what}.`);
}

function remark(path: string, { line, what }: SkillFault): SkillProblem {
  return said(path, line, `${lineText(path, line)}: ${what}.`);
}

function lineText(path: string, line: number | null): string {
  return `The skill ${escapeControls(path)}${line === null ? "" : `, line ${line},`}`;
}

function said(path: string, line: number | null, message: string): SkillProblem {
  return { path, ...(line === null ? {} : { line }), message: escapeControls(message) };
}
