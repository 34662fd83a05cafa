/** The configuration in force for a workspace: files read, layers resolved. */
import { readFile, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf, YoiError } from "@yoi/base";
import { type ConfigLayer, type FlagLayer, parseConfig, type ResolvedManifest, resolveManifest } from "@yoi/manifest";
import { defaultScope } from "@yoi/tools";
import type { Environment } from "../environment.ts";

/** A configuration file larger than this is refused. */
const configBytesMax = 1024 * 1024;

export interface ConfigFile {
  readonly path: string;
  readonly trust: "user" | "project";
  readonly layer: ConfigLayer | null;
}

/** The canonical path of a workspace directory; `workspace_missing` when there is none. */
export async function canonicalWorkspace(directory: string): Promise<string> {
  const path = resolve(directory);
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(path)).isDirectory();
  } catch (error) {
    throw new YoiError(
      "workspace_missing",
      `The workspace ${path} cannot be opened (${codeOf(error)}): name an existing directory with -C.`,
      { cause: error },
    );
  }
  if (!isDirectory) {
    throw new YoiError("workspace_missing", `The workspace ${path} is not a directory: name a directory with -C.`);
  }
  return realpath(path);
}

async function readConfig(path: string, trust: "user" | "project"): Promise<ConfigFile> {
  let text: string;
  try {
    const info = await stat(path);
    if (!info.isFile()) throw new YoiError("config_invalid", `${path} is not a regular file: replace it by a TOML file, or remove it.`);
    if (info.size > configBytesMax) {
      throw new YoiError("config_invalid", `${path} has ${info.size} bytes: a configuration file may have ${configBytesMax}.`);
    }
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof YoiError) throw error;
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return { path, trust, layer: null };
    throw new YoiError("config_invalid", `${path} cannot be read (${codeOf(error)}): mend its permissions, or remove it.`, {
      cause: error,
    });
  }
  return { path, trust, layer: parseConfig(text, { path, trust }) };
}

export interface ConfigFiles {
  readonly user: ConfigFile;
  readonly project: ConfigFile;
  readonly local: ConfigFile;
}

export async function readConfigFiles(environment: Environment, workspace: string): Promise<ConfigFiles> {
  const [user, project, local] = await Promise.all([
    readConfig(join(environment.directories.config, "config.toml"), "user"),
    readConfig(join(workspace, ".yoi", "config.toml"), "project"),
    readConfig(join(workspace, ".yoi", "config.local.toml"), "project"),
  ]);
  return { user, project, local };
}

/** Resolves everything that configures a Pod of this workspace. */
export async function resolveConfiguration(
  environment: Environment,
  workspace: string,
  flags: FlagLayer,
): Promise<ResolvedManifest & { readonly files: ConfigFiles }> {
  const files = await readConfigFiles(environment, workspace);
  const layers = {
    ...(files.user.layer === null ? {} : { user: files.user.layer }),
    ...(files.project.layer === null ? {} : { project: files.project.layer }),
    ...(files.local.layer === null ? {} : { local: files.local.layer }),
  };
  const scope = await defaultScope({
    workspace,
    home: environment.home,
    pathEntries: (environment.variables["PATH"] ?? "").split(":").filter((entry) => entry.startsWith("/")),
  });
  return { ...resolveManifest({ layers, flags, workspace, defaultScope: scope }), files };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
}
