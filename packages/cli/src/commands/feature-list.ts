/** `yoi feature list`: built-ins with what a dry run of their installation says, and third parties, found and never loaded. */
import { escapeControls } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { openApprovalStore } from "../compose/approvals.ts";
import { namedWorkspace } from "../compose/configuration.ts";
import { learnEnvironment } from "../compose/secrets.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { tryBuiltIns } from "../features/built-in.ts";
import { builtInJson, type FeatureJson, standingJson } from "../features/feature-json.ts";
import { findFeatures } from "../features/find-features.ts";
import { standingOf } from "../features/standing.ts";
import { jsonLine } from "../output/json-line.ts";
import { tableText } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";

export interface FeatureFlags extends JsonFlag {
  readonly cd?: string;
}

/** Hex digits of a digest in a table: enough to tell two apart. */
const digestChars = 12;

export async function featureList(flags: FeatureFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const { features, warnings } = await listFeatures(workspace, environment);
  if (flags.json === true) {
    process.stdout.write(jsonLine({ workspace, features, warnings }));
    return exitCode.done;
  }
  process.stdout.write(featuresText(features));
  for (const warning of warnings) process.stderr.write(`yoi: ${escapeControls(warning)}\n`);
  return exitCode.done;
}

export async function listFeatures(
  workspace: string,
  environment: Environment,
): Promise<{ readonly features: readonly FeatureJson[]; readonly warnings: readonly string[] }> {
  learnEnvironment(environment);
  const host = nodeHost();
  const tried = await tryBuiltIns(workspace, environment);
  const found = await findFeatures(workspace, environment.directories.config);
  const warnings = [...tried.warnings, ...found.warnings];
  const approvals = openApprovalStore(environment, host);
  const features: FeatureJson[] = tried.builtIns.map(({ report }) => builtInJson(report));
  // One after the other: of each only the digest stays.
  for (const one of found.features) {
    const standing = await standingOf(one, approvals);
    features.push(standingJson(standing));
    // One directory that is not to be trusted is said once.
    if (standing.warning !== null && !warnings.includes(standing.warning)) warnings.push(standing.warning);
  }
  return { features, warnings };
}

export function featuresText(features: readonly FeatureJson[], columns?: number): string {
  const header = ["FEATURE", "VERSION", "RUNTIME", "DIGEST", "STATUS", "SOURCE"];
  return tableText(header, features.map(row), columns);
}

function row(feature: FeatureJson): string[] {
  const { id, name, version, runtime, digest, status_text: status, problem, path } = feature;
  return [
    id ?? name,
    version ?? "-",
    runtime,
    digest?.slice(0, digestChars) ?? "-",
    problem === null ? status : `${status}: ${problem}`,
    path ?? "yoi",
  ];
}
