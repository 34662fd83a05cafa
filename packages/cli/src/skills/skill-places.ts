/** Where skills are: the workspace's, the user's, yoi's own, in this order. */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScopeRule } from "@yoi/base";
import { type Protection, protectionOf } from "@yoi/scope";
import { type SkillPlace, skillReader, skillsMax } from "@yoi/tools";
import type { Environment } from "../environment.ts";

export interface SkillPlacesRequest {
  /** Canonical. */
  readonly workspace: string;
  /** Of a Pod there. */
  readonly protection: Protection;
  /** What a Pod's scope denies: nothing of the workspace is read there. */
  readonly deny?: readonly ScopeRule[];
  /** Of a real path, as rules about Read say. What comes with yoi is read anyway. */
  readonly mayRead?: (path: string) => boolean;
  readonly environment: Pick<Environment, "home" | "directories">;
  /** Those that come with yoi, too. */
  readonly hasShipped: boolean;
  readonly userId?: number;
}

/** No Pod writes there. */
const keptFolder = ".yoi/skills";
const projectFolders = [keptFolder, ".agents/skills", ".claude/skills"];
const homeFolders = [".agents/skills", ".claude/skills"];

export function skillPlaces(request: SkillPlacesRequest): readonly SkillPlace[] {
  const { workspace, protection, deny = [], mayRead = () => true, environment, hasShipped } = request;
  const { home, directories } = environment;
  const userId = request.userId ?? process.getuid?.() ?? null;
  const ofUser = [
    join(directories.config, "skills"),
    ...(home === null ? [] : homeFolders.map((folder) => join(home, folder))),
  ];
  // A home directory that is the workspace: these are the user's.
  const ofProject = projectFolders
    .map((folder) => join(workspace, folder))
    .filter((directory) => !ofUser.includes(directory));
  const projectReader = skillReader({ directories: ofProject, deny, mayRead, protection, userId });
  return [
    ...ofProject.map((directory): SkillPlace => ({
      source: "project",
      directory,
      // How tickets are done and judged is not for a Pod to write that does one.
      withheld: hasShipped && directory !== join(workspace, keptFolder) ? shippedNames() : [],
      reader: projectReader,
    })),
    ...ofUser.flatMap((directory) => userPlace(directory, mayRead, userId)),
    ...(hasShipped ? [shippedPlace()] : []),
  ];
}

/** A folder there may be a link of the user's own, as of somebody who keeps their files elsewhere. */
function userPlace(
  given: string,
  mayRead: (path: string) => boolean,
  userId: number | null,
): readonly SkillPlace[] {
  const directory = realOf(given);
  if (directory === null) return [];
  const linked = linksIn(directory)
    .map((name) => realOf(join(directory, name)))
    .filter((path) => path !== null)
    .filter((path) => userId === null || [0, userId].includes(lstatSync(path).uid));
  const protection = protectionOf({ workspace: directory, home: null, own: [], spill: null });
  const reader = skillReader({ directories: [directory, ...linked], mayRead, protection, userId });
  return [{ source: "user", directory, reader }];
}

function shippedPlace(): SkillPlace {
  const directory = realOf(shippedDirectory()) ?? shippedDirectory();
  const protection = protectionOf({ workspace: directory, home: null, own: [], spill: null });
  return {
    source: "builtin",
    directory,
    reader: skillReader({ directories: [directory], protection, userId: null }),
  };
}

/** Beside `src` and `dist`. */
function shippedDirectory(): string {
  const isSource = import.meta.url.endsWith(".ts");
  return fileURLToPath(new URL(isSource ? "../../skills" : "../skills", import.meta.url));
}

function shippedNames(): readonly string[] {
  return readdirSync(shippedDirectory());
}

/** Null: it is not there, or cannot be looked at. */
function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function linksIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => name)
      .slice(0, skillsMax);
  } catch {
    // Reading the skills says what is wrong with it.
    return [];
  }
}
