/** Where profiles are: the program's own, the user's, the workspace's. Found by name; a file is read when its profile is asked for. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  checkConfig,
  type ConfigReading,
  type ConfigSource,
  isProfileName,
  profileNameCharsMax,
  type ProfileSource,
} from "@yoi/manifest";
import { errorCodeOf, readConfig } from "../compose/configuration.ts";
import type { Environment } from "../environment.ts";
import { builtInProfiles } from "./built-in-profiles.ts";

/** Files that are looked at in one directory of profiles. */
export const profileFilesMax = 64;

export interface FoundProfile {
  readonly source: ProfileSource;
  readonly name: string;
  /** With its source: `user:review`. */
  readonly selector: string;
  /** Null: it is built in. */
  readonly path: string | null;
  /** Of its own file, once; null: that is gone by now. */
  readonly read: () => Promise<ConfigReading | null>;
}

export interface ProfileProblem {
  readonly selector: string;
  /** Of the file, or of the directory. */
  readonly path: string;
  /** One sentence. */
  readonly problem: string;
}

export interface FoundProfiles {
  /** In the order of sources, then by name. */
  readonly profiles: readonly FoundProfile[];
  /** Of what lies where profiles are and is none. */
  readonly problems: readonly ProfileProblem[];
}

/** @param workspace canonical. */
export async function findProfiles(environment: Environment, workspace: string): Promise<FoundProfiles> {
  const { home, directories } = environment;
  const builtIns = Object.entries(builtInProfiles).map(([name, text]): FoundProfile => {
    const selector = `builtin:${name}`;
    const source: ConfigSource = { path: selector, trust: "user", profile: { selector, workspace } };
    return {
      source: "builtin",
      name,
      selector,
      path: null,
      read: once(async () => checkConfig(text, source)),
    };
  });
  const ofUser = await findFiles("user", join(directories.config, "profiles"), {
    trust: "user",
    ...(home === null ? {} : { home }),
    workspace,
  });
  const ofProject = await findFiles("project", join(workspace, ".yoi", "profiles"), {
    trust: "project",
    workspace,
  });
  return {
    profiles: [...builtIns, ...ofUser.profiles, ...ofProject.profiles],
    problems: [...ofUser.problems, ...ofProject.problems],
  };
}

/** What several extend is read for the first of them. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return () => (reading ??= read());
}

async function findFiles(
  source: "user" | "project",
  directory: string,
  { workspace, ...read }: Pick<ConfigSource, "trust" | "home"> & { readonly workspace: string },
): Promise<FoundProfiles> {
  let names: readonly string[];
  try {
    names = (await readdir(directory)).filter((name) => name.endsWith(".toml")).toSorted();
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === "ENOENT") return { profiles: [], problems: [] };
    const problem = `${directory} cannot be looked at (${code}): make it a directory that you can read, or remove it.`;
    return { profiles: [], problems: [{ selector: `${source}:*`, path: directory, problem }] };
  }
  const profiles: FoundProfile[] = [];
  const problems: ProfileProblem[] = [];
  for (const file of names.slice(0, profileFilesMax)) {
    const path = join(directory, file);
    const name = file.slice(0, -".toml".length);
    const selector = `${source}:${name}`;
    if (!isProfileName(name)) {
      problems.push({
        selector,
        path,
        problem: `${path} has no name of a profile: use lower-case letters, digits, "-" and "_", at most ${profileNameCharsMax}.`,
      });
      continue;
    }
    const own: ConfigSource = { ...read, path, profile: { selector, workspace } };
    profiles.push({ source, name, selector, path, read: once(() => readConfig(own)) });
  }
  if (names.length > profileFilesMax) {
    problems.push({
      selector: `${source}:*`,
      path: directory,
      problem: `${directory} holds ${names.length} files, of which the first ${profileFilesMax} are looked at: remove some.`,
    });
  }
  return { profiles, problems };
}
