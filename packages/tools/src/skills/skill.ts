/** Skill: how something is done, as a folder with a `SKILL.md` in it. Shapes as they are shown by `--json`. */
import { frontMatterBounds, type JsonObject, type YamlBounds } from "@yoi/base";

/** Whose folder it is found in: the workspace's, the user's, yoi's own. */
export const skillSources = ["project", "user", "builtin"] as const;
export type SkillSource = (typeof skillSources)[number];

/** UTF-8 bytes of a SKILL.md. */
export const skillBytesMax = 64 * 1024;
/** UTF-8 bytes of its front matter. */
export const skillFrontBytesMax = 8 * 1024;
/** What more is not parsed. */
export const skillFrontBounds: YamlBounds = Object.freeze({ ...frontMatterBounds, nestingMax: 8 });
/** Characters of a description. */
export const skillDescriptionCharsMax = 1024;
/** Skills of one Pod; and folders that are read of one source, whatever is in them. */
export const skillsMax = 256;
/** Lines of a body that are read without a remark. */
export const skillLinesMax = 500;

/** What its front matter says. */
export interface SkillHead {
  /** That of its folder, too. */
  readonly name: string;
  /** What it is for and when to use it, in one line. */
  readonly description: string;
  readonly license?: string;
  /** What it needs, in words. */
  readonly compatibility?: string;
  /** As `Bash(git add:*)`. Shown, never enforced. */
  readonly allowed_tools?: readonly string[];
  readonly metadata?: JsonObject;
}

export interface Skill extends SkillHead {
  readonly source: SkillSource;
  /** Of its SKILL.md, real. */
  readonly path: string;
}

/** What lies where skills are and is none, or is one with a fault. */
export interface SkillProblem {
  readonly path: string;
  /** From 1. */
  readonly line?: number;
  /** One sentence: what, where, what to do. */
  readonly message: string;
}

export interface FoundSkills {
  /** In the order of the places, then by name; each name once. */
  readonly skills: readonly Skill[];
  /** Those that another one of their name stands before. */
  readonly shadowed: readonly { readonly skill: Skill; readonly by: string }[];
  readonly problems: readonly SkillProblem[];
}
