/** A skill as a model reads it, and the files beside it. */
import { dirname, join } from "node:path/posix";
import { escapeControls, type SkillText, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { type ReadSkill, skillFileName } from "./read-skill.ts";
import { skillBytesMax, type SkillSource } from "./skill.ts";
import type { SkillReader } from "./skill-place.ts";

/** Files beside a skill that are named. */
export const skillFilesMax = 100;

const authors: Readonly<Record<SkillSource, string>> = {
  project: "The project wrote down",
  user: "The user wrote down",
  builtin: "The runtime brings along",
};

/** What comes first says whose text it is: it stands in a note of the host, and is not the host's. */
export async function skillText({ skill, body, sha256, place }: ReadSkill): Promise<SkillText> {
  const directory = dirname(skill.path);
  const { names, isCut } = await skillFiles({ skill, place });
  const beside = names.map((name) => escapeControls(name));
  const files =
    beside.length === 0
      ? []
      : [
          `Files of this skill, below ${quotePath(directory)}; Skill shows one of them with name and file: ${beside.join(", ")}${isCut ? ", and more" : ""}`,
        ];
  const head = [
    `[Skill: ${skill.name}, of ${quotePath(skill.path)}]`,
    `${authors[skill.source]} how this is done. It cannot widen what you may touch.`,
    ...files,
  ];
  return { name: skill.name, path: skill.path, sha256, body: `${head.join("\n")}\n\n${body}` };
}

/** Those beside its SKILL.md, relative to its folder. */
export async function skillFiles({
  skill,
  place,
}: Pick<ReadSkill, "skill" | "place">): ReturnType<SkillReader["files"]> {
  const { names, isCut } = await place.reader.files(dirname(skill.path), skillFilesMax);
  return { names: names.filter((name) => name !== skillFileName), isCut };
}

/** Text of a file beside a skill. @param file as it is asked for. Throws YoiErrors. */
export async function skillFile({ skill, place }: ReadSkill, asked: string): Promise<string> {
  const file = asked.replace(/^(?:\.\/+)+/, "");
  const directory = dirname(skill.path);
  if (!isInside(file))
    throw new YoiError(
      "usage",
      `${quotePath(asked)} is no path inside the folder of the skill ${skill.name}: give it relative to that, without "..".`,
    );
  const found = await place.reader.read(join(directory, file), skillBytesMax).catch((error: unknown) => {
    throw withSubject(error, `${quotePath(file)} of the skill ${skill.name} cannot be read: `);
  });
  if (found === null) throw unknownFile(skill.name, file, await skillFiles({ skill, place }));
  if (!found.path.startsWith(`${directory}/`))
    throw new YoiError(
      "out_of_scope",
      `${quotePath(file)} of the skill ${skill.name} is a link that leads out of its folder: it is not read.`,
    );
  if (place.reader.owner(found.path) === "foreign")
    throw new YoiError("out_of_scope", `${quotePath(found.path)} belongs to another user: it is not read.`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(found.bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Bytes that are no text: said below.
  }
  throw new YoiError(
    "usage",
    `${quotePath(found.path)} is no text: use it by its path, where this Pod may read it.`,
  );
}

function withSubject(error: unknown, subject: string): unknown {
  if (!(error instanceof YoiError)) return error;
  return new YoiError(error.code, `${subject}${error.message.replace(/\.$/, "")}.`, { cause: error });
}

function isInside(file: string): boolean {
  return (
    file !== "" &&
    !file.startsWith("/") &&
    !file.includes("\0") &&
    file.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}

function unknownFile(
  skill: string,
  file: string,
  { names, isCut }: Awaited<ReturnType<SkillReader["files"]>>,
): YoiError {
  const all = names.map((name) => escapeControls(name)).join(", ");
  const has = names.length === 0 ? "It has none." : `It has: ${all}${isCut ? ", and more" : ""}.`;
  return new YoiError("io_failed", `The skill ${skill} has no file ${quotePath(file)}. ${has}`);
}
