/** `yoi config show|check`: the configuration in force, and what is wrong with its files. */
import { escapeControls, type JsonValue } from "@yoi/base";
import { type ConfigLayer, type ResolvedManifest, resolveTerminal } from "@yoi/manifest";
import { nodeHost } from "@yoi/host";
import { rulesWithoutEffect } from "@yoi/pod";
import { configSources, namedWorkspace, readConfig, resolveConfiguration } from "../compose/configuration.ts";
import { grantsIn } from "../compose/granting.ts";
import { learnEnvironment } from "../compose/secrets.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { tryBuiltIns } from "../features/built-in.ts";
import { jsonLine } from "../output/json-line.ts";
import { tableText } from "../output/table.ts";
import { checkProfiles, chooseProfile } from "../profiles/choose-profile.ts";
import type { JsonFlag } from "../program/act.ts";

export interface ConfigFlags extends JsonFlag {
  readonly cd?: string;
}

export interface ShowFlags extends ConfigFlags {
  readonly profile?: string;
}

export async function configShow(flags: ShowFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const profile =
    flags.profile === undefined ? null : await chooseProfile(flags.profile, environment, workspace);
  const { sources: said, warnings } = await resolveConfiguration(environment, workspace, {}, profile);
  const grants = await grantsIn(workspace, { environment, host: nodeHost() });
  const sources = [
    ...said,
    ...grants.map(({ id, rule }, index) => ({
      key: `grants[${index}]`,
      value: rule,
      origin: `yoi grant ${id}`,
    })),
  ];
  if (flags.json === true) {
    const { directories } = environment;
    const selector = profile?.selector ?? null;
    process.stdout.write(jsonLine({ workspace, profile: selector, directories, values: sources, warnings }));
    return exitCode.done;
  }
  process.stdout.write(sourcesText(sources));
  for (const warning of warnings) process.stderr.write(`yoi: ${escapeControls(warning)}\n`);
  return exitCode.done;
}

/** Every problem of every file, those of profiles too, a line each on stderr; then 3. Without one, what has no effect is a warning. */
export async function configCheck(flags: ConfigFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const files: { readonly path: string; readonly present: boolean; readonly problems: readonly string[] }[] =
    [];
  let user: ConfigLayer | undefined;
  for (const [name, source] of Object.entries(configSources(environment, workspace))) {
    const reading = await readConfig(source);
    if (name === "user") user = reading?.layer ?? undefined;
    files.push({
      path: source.path,
      present: reading !== null,
      problems: reading?.problems.map((problem) => problem.message) ?? [],
    });
  }
  for (const file of await checkProfiles(environment, workspace)) files.push({ ...file, present: true });
  // What is wrong with a profile is wrong with each that extends it.
  const problems = [...new Set(files.flatMap((file) => file.problems))];
  const unbound = problems.length === 0 ? await unboundKeys(user) : [];
  // Files that are good one by one may still not fit together.
  const warnings = problems.length === 0 ? [...(await warningsOf(environment, workspace)), ...unbound] : [];
  if (flags.json === true) process.stdout.write(jsonLine({ ok: problems.length === 0, files, warnings }));
  for (const { path, present, problems: own } of files) {
    const good = unbound.length > 0 && path === user?.source.path ? "good but for its keys" : "good";
    if (flags.json !== true)
      process.stdout.write(
        `${escapeControls(path)}: ${!present ? "not there" : own.length === 0 ? good : "wrong"}\n`,
      );
  }
  for (const line of [...problems, ...warnings]) process.stderr.write(`yoi: ${escapeControls(line)}\n`);
  return problems.length === 0 ? exitCode.done : exitCode.configuration;
}

/** Of a configuration whose files are good, and of its rules over what there is without features of others. */
async function warningsOf(environment: Environment, workspace: string): Promise<readonly string[]> {
  learnEnvironment(environment);
  const { manifest, tools, warnings } = await tryBuiltIns(workspace, environment);
  return [...warnings, ...rulesWithoutEffect(manifest.permissions.rules, tools)];
}

/** What of `[terminal.keys]` the terminal knows no action or key for. */
async function unboundKeys(user: ConfigLayer | undefined): Promise<readonly string[]> {
  const { keys } = resolveTerminal({ user }).settings;
  if (user === undefined || Object.keys(keys).length === 0) return [];
  const { keyMapOf } = await import("@yoi/tui");
  const at = user.origins.get("terminal.keys") ?? user.source.path;
  return keyMapOf(keys).problems.map((problem) => `${at}: ${problem}`);
}

/** Each value with where it is said. */
export function sourcesText(sources: ResolvedManifest["sources"]): string {
  return tableText(
    ["KEY", "VALUE", "FROM"],
    sources.flatMap(({ key, value, origin }) => rowsOf(key, value, origin)),
  );
}

/** A list is shown an element a row: a scope of twenty rules is not a line. */
function rowsOf(key: string, value: JsonValue, origin: string): string[][] {
  if (!Array.isArray(value) || value.length === 0) return [[key, JSON.stringify(value), origin]];
  return value.map((element, index) => [`${key}[${index}]`, JSON.stringify(element), origin]);
}
