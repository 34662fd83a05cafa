/** `yoi config show|check`: the configuration in force, and what is wrong with its files. */
import { escapeControls, type JsonValue } from "@yoi/base";
import { configSources, namedWorkspace, readConfig, resolveConfiguration } from "../compose/configuration.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { printTable } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";

export interface ConfigFlags extends JsonFlag {
  readonly cd?: string;
}

export async function configShow(flags: ConfigFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const { sources, warnings } = await resolveConfiguration(environment, workspace, {});
  if (flags.json === true) {
    const { directories } = environment;
    process.stdout.write(`${JSON.stringify({ workspace, directories, values: sources, warnings })}\n`);
    return exitCode.done;
  }
  printTable(
    ["KEY", "VALUE", "FROM"],
    sources.flatMap(({ key, value, origin }) => rowsOf(key, value, origin)),
  );
  for (const warning of warnings) process.stderr.write(`yoi: ${escapeControls(warning)}\n`);
  return exitCode.done;
}

/** Every problem of every file, a line each on stderr; then 3. */
export async function configCheck(flags: ConfigFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const files: { readonly path: string; readonly present: boolean; readonly problems: readonly string[] }[] =
    [];
  for (const source of Object.values(configSources(environment, workspace))) {
    const reading = await readConfig(source);
    files.push({
      path: source.path,
      present: reading !== null,
      problems: reading?.problems.map((problem) => problem.message) ?? [],
    });
  }
  const problems = files.flatMap((file) => file.problems);
  if (problems.length === 0) {
    // Files that are good one by one may still not fit together.
    await resolveConfiguration(environment, workspace, {});
  }
  if (flags.json === true) process.stdout.write(`${JSON.stringify({ ok: problems.length === 0, files })}\n`);
  for (const { path, present, problems: own } of files) {
    if (flags.json !== true)
      process.stdout.write(
        `${escapeControls(path)}: ${!present ? "not there" : own.length === 0 ? "good" : "wrong"}\n`,
      );
  }
  for (const problem of problems) process.stderr.write(`yoi: ${escapeControls(problem)}\n`);
  return problems.length === 0 ? exitCode.done : exitCode.configuration;
}

/** A list is shown an element a row: a scope of twenty rules is not a line. */
function rowsOf(key: string, value: JsonValue, origin: string): string[][] {
  if (!Array.isArray(value) || value.length === 0) return [[key, JSON.stringify(value), origin]];
  return value.map((element, index) => [`${key}[${index}]`, JSON.stringify(element), origin]);
}
