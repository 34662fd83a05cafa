/** The configuration in force for a workspace: files read, layers resolved. */
import { readFile, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf, type ScopeRule, YoiError } from "@yoi/base";
import {
  checkConfig,
  type ConfigLayer,
  type ConfigReading,
  type ConfigSource,
  configBytesMax,
  type FlagLayer,
  type ResolvedManifest,
  resolveManifest,
} from "@yoi/manifest";
import { models } from "@yoi/model";
import { findToolchains } from "@yoi/sandbox";
import { defaultScope } from "@yoi/scope";
import type { Environment } from "../environment.ts";

/** The canonical path of a workspace directory; `workspace_missing` when there is none. `pod`: the one that keeps this workspace. */
export async function canonicalWorkspace(directory: string, pod: string | null = null): Promise<string> {
  const path = resolve(directory);
  const whose = pod === null ? "" : ` of the Pod ${pod}`;
  const advice = (what: string): string =>
    pod === null ? `name ${what} directory with -C` : "bring it back, or start another Pod";
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(path)).isDirectory();
  } catch (error) {
    throw new YoiError(
      "workspace_missing",
      `The workspace ${path}${whose} cannot be opened (${codeOf(error)}): ${advice("an existing")}.`,
      { cause: error },
    );
  }
  if (!isDirectory) {
    throw new YoiError(
      "workspace_missing",
      `The workspace ${path}${whose} is not a directory: ${advice("a")}.`,
    );
  }
  return realpath(path);
}

/** The files of the three layers, weakest first. */
export function configSources(
  environment: Environment,
  workspace: string,
): Readonly<Record<LayerName, ConfigSource>> {
  const { home } = environment;
  return {
    user: {
      path: join(environment.directories.config, "config.toml"),
      trust: "user",
      ...(home === null ? {} : { home }),
    },
    project: { path: join(workspace, ".yoi", "config.toml"), trust: "project" },
    local: { path: join(workspace, ".yoi", "config.local.toml"), trust: "project" },
  };
}

export type LayerName = "user" | "project" | "local";

/** What a file holds, problems included; null when there is no such file. */
export async function readConfig(source: ConfigSource): Promise<ConfigReading | null> {
  const { path } = source;
  const refused = (what: string): ConfigReading => ({
    layer: null,
    problems: [new YoiError("config_invalid", `${path} ${what}`, { place: { path } })],
  });
  try {
    const info = await stat(path);
    if (!info.isFile()) return refused("is not a regular file: replace it by a TOML file, or remove it.");
    if (info.size > configBytesMax)
      return refused(`has ${info.size} bytes, over the limit of ${configBytesMax}: make it smaller.`);
    return checkConfig(await readFile(path, "utf8"), source);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null;
    return refused(`cannot be read (${codeOf(error)}): mend its permissions, or remove it.`);
  }
}

/** Resolves everything that configures a Pod of this workspace. The first problem of any file is thrown. */
export async function resolveConfiguration(
  environment: Environment,
  workspace: string,
  flags: FlagLayer,
): Promise<ResolvedManifest> {
  const sources = configSources(environment, workspace);
  const layer = async (name: LayerName) => {
    const reading = await readConfig(sources[name]);
    if (reading === null) return {};
    if (reading.layer === null) throw reading.problems[0];
    return { [name]: await withRealTargets(reading.layer) };
  };
  const layers = { ...(await layer("user")), ...(await layer("project")), ...(await layer("local")) };
  const { home } = environment;
  const toolchains = findToolchains({ path: environment.variables["PATH"], workspace, home });
  const scope = defaultScope({ workspace, home, toolchains });
  return resolveManifest({ layers, flags, workspace, defaultScope: scope, defaultModel: defaultModel() });
}

/**
 * The scope is asked about real paths, so rules get them too: what the user grants or anybody denies is meant where its links lead. What a workspace
 * grants stays as written: a link in it must not make the grant another one.
 */
async function withRealTargets(layer: ConfigLayer): Promise<ConfigLayer> {
  const real = async (rule: ScopeRule): Promise<ScopeRule> => {
    try {
      return { ...rule, target: await realpath(rule.target) };
    } catch {
      return rule; // Not there yet: there is no link to follow.
    }
  };
  const { allow, deny } = layer.scope;
  return {
    ...layer,
    scope: {
      allow: layer.source.trust === "user" ? await Promise.all(allow.map(real)) : allow,
      deny: [
        ...deny,
        ...(await Promise.all(deny.map(real))).filter(
          ({ target }) => !deny.some((rule) => rule.target === target),
        ),
      ],
    },
  };
}

/** The newest Anthropic model of the middle size: what a first run wants when nothing is said. */
function defaultModel(): string {
  const model = models.find(({ id }) => id.includes("sonnet")) ?? models[0];
  return `${model?.provider}/${model?.id}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
}
