/** The configuration in force for a workspace: files read, layers resolved. */
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { messageOf, type ScopeRule, YoiError } from "@yoi/base";
import {
  bytesMaxOf,
  checkConfig,
  type ConfigLayer,
  type ConfigReading,
  type ConfigSource,
  type FlagLayer,
  type ProfileChoice,
  type ResolvedManifest,
  resolveManifest,
} from "@yoi/manifest";
import { models } from "@yoi/model";
import { findToolchains } from "@yoi/sandbox";
import { defaultScope, isWithin } from "@yoi/scope";
import type { Environment } from "../environment.ts";
import { checkBaseUrl, checkDefinitions, configuredBaseUrl } from "./providers.ts";
import { credentialOf } from "./secrets.ts";
import { readSmallFile } from "./read-small-file.ts";

/** The workspace that was named, or the current directory; canonical. */
export function namedWorkspace(named: string | undefined, environment: Environment): Promise<string> {
  const own = ownDirectories(environment);
  if (named !== undefined && isAbsolute(named)) return canonicalWorkspace(named, own);
  return canonicalWorkspace(resolve(environment.workingDirectory(), named ?? ""), own);
}

/** Where yoi keeps what is its own. */
export function ownDirectories({ directories }: Environment): readonly string[] {
  return [directories.data, directories.config, directories.runtime];
}

/** Nothing here is a project's: the kernel's files, devices, and other programs' sockets. */
const systemPlaces: readonly string[] = ["/dev", "/proc", "/run", "/sys"];

/**
 * The canonical path of a workspace, which is given absolute; `workspace_missing` when there is none. `own`: as `ownDirectories` gives it. `pod`: the
 * one that keeps this workspace. The root of the machine, what lies in `own`, and what the kernel makes are refused: a Pod writes all of its workspace.
 */
export async function canonicalWorkspace(
  path: string,
  own: readonly string[],
  pod: string | null = null,
): Promise<string> {
  const whose = pod === null ? "" : ` of the Pod ${pod}`;
  const advice = (what: string): string =>
    pod === null ? `name ${what} directory with -C` : "bring it back, or start another Pod";
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(path)).isDirectory();
  } catch (error) {
    throw new YoiError(
      "workspace_missing",
      `The workspace ${path}${whose} cannot be opened (${errorCodeOf(error)}): ${advice("an existing")}.`,
      { cause: error },
    );
  }
  if (!isDirectory) {
    throw new YoiError(
      "workspace_missing",
      `The workspace ${path}${whose} is not a directory: ${advice("a")}.`,
    );
  }
  const workspace = await realpath(path);
  if (workspace === "/") {
    throw new YoiError(
      "usage",
      "The workspace cannot be /, because a Pod may write all of its workspace: name a directory of a project with -C.",
    );
  }
  const kept = await Promise.all(own.map(realPathOf));
  const place = [...kept, ...systemPlaces].find((outer) => isWithin(outer, workspace));
  if (place !== undefined) {
    const whose = kept.includes(place) ? "holds yoi's own files" : "belongs to the system";
    throw new YoiError(
      "usage",
      `The workspace cannot be ${workspace}, because ${place} ${whose}: name a directory of a project with -C.`,
    );
  }
  return workspace;
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
  const bytesMax = bytesMaxOf(source);
  const reading = await readSmallFile(path, bytesMax);
  switch (reading.kind) {
    case "read":
      return checkConfig(reading.text, source);
    case "missing":
      return null;
    case "not_a_file":
      return refused("is not a regular file: replace it by a TOML file, or remove it.");
    case "too_large":
      return refused(`has more than ${bytesMax} bytes: make it smaller.`);
    case "unreadable":
      return refused(`cannot be read (${reading.code}): mend its permissions, or remove it.`);
  }
}

/** Resolves everything that configures a Pod of this workspace. The first problem of any file is thrown; no file of the profile is read. */
export async function resolveConfiguration(
  environment: Environment,
  workspace: string,
  flags: FlagLayer,
  profile: ProfileChoice | null = null,
): Promise<ResolvedManifest> {
  const sources = configSources(environment, workspace);
  const layer = async (name: LayerName) => {
    const reading = await readConfig(sources[name]);
    if (reading === null) return {};
    if (reading.layer === null) throw reading.problems[0];
    return { [name]: await withRealTargets(reading.layer) };
  };
  const files = { ...(await layer("user")), ...(await layer("project")), ...(await layer("local")) };
  const layers = { ...files, profiles: profile?.layers };
  const { home } = environment;
  const toolchains = findToolchains({ path: environment.variables["PATH"], workspace, home });
  const scope = defaultScope({ workspace, home, toolchains });
  const resolved = resolveManifest({
    layers,
    profile: profile?.selector,
    flags,
    workspace,
    defaultScope: scope,
    defaultModel: defaultModel(),
  });
  checkDefinitions(resolved.definitions);
  // Known from here on, also in a run with another provider: it is taken out of all output.
  for (const { key_variable: variable } of resolved.definitions.providers)
    if (variable !== null) credentialOf(variable, environment);
  checkBaseUrls(resolved);
  return resolved;
}

/** All that a Pod would keep. */
function checkBaseUrls(resolved: ResolvedManifest): void {
  const configured = configuredBaseUrl(resolved);
  if (configured !== null) checkBaseUrl(configured);
  for (const { base_url: url, origin } of resolved.definitions.providers)
    checkBaseUrl({ url, setBy: `the provider in ${origin}` });
  const search = resolved.manifest.web.search?.base_url ?? null;
  if (search !== null) checkBaseUrl({ url: search, setBy: "web.search" });
}

/**
 * The scope is asked about real paths, so rules get them too: what the user grants or anybody denies is meant where its links lead. What a workspace
 * or a profile grants stays as written: a link in it must not make the grant another one.
 */
export async function withRealTargets(layer: ConfigLayer): Promise<ConfigLayer> {
  const real = async (rule: ScopeRule): Promise<ScopeRule> => ({
    ...rule,
    target: await realPathOf(rule.target),
  });
  const { allow, deny } = layer.scope;
  return {
    ...layer,
    scope: {
      allow:
        layer.source.trust === "user" && layer.source.profile === undefined
          ? await Promise.all(allow.map(real))
          : allow,
      deny: [
        ...deny,
        ...(await Promise.all(deny.map(real))).filter(
          ({ target }) => !deny.some((rule) => rule.target === target),
        ),
      ],
    },
  };
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path; // Not there yet: there is no link to follow.
  }
}

/** The newest Anthropic model of the middle size: what a first run wants when nothing is said. */
function defaultModel(): string {
  const model = models.find(({ id }) => id.includes("sonnet")) ?? models[0];
  return `${model?.provider}/${model?.id}`;
}

/** As the system has it: `ENOENT`. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
}
