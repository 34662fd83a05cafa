/** `yoi feature show`: all that is known of one feature; of a third party's what is in its files, and what changed since it was approved. */
import { escapeControls } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { openApprovalStore } from "../compose/approvals.ts";
import { namedWorkspace } from "../compose/configuration.ts";
import { learnEnvironment } from "../compose/secrets.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { tryBuiltIns } from "../features/built-in.ts";
import { describeBuiltIn, describeThirdParty } from "../features/describe.ts";
import { changesSince } from "../features/difference.ts";
import { builtInJson, standingJson } from "../features/feature-json.ts";
import { findFeatures } from "../features/find-features.ts";
import { findOne } from "../features/find-one.ts";
import { standingOf } from "../features/standing.ts";
import { jsonLine } from "../output/json-line.ts";
import type { FeatureFlags } from "./feature-list.ts";

export async function featureShow(id: string, flags: FeatureFlags): Promise<number> {
  const environment = readEnvironment();
  learnEnvironment(environment);
  const host = nodeHost();
  const workspace = await namedWorkspace(flags.cd, environment);
  const tried = await tryBuiltIns(workspace, environment);
  const { builtIns } = tried;
  const builtIn = builtIns.find(({ report }) => report.feature === id);
  if (builtIn !== undefined) {
    const { descriptor, report } = builtIn;
    const object = {
      ...builtInJson(report),
      descriptor,
      files: null,
      difference: null,
      warnings: tried.warnings,
    };
    write(flags, object, describeBuiltIn(descriptor, report));
    return exitCode.done;
  }
  const found = await findFeatures(workspace, environment.directories.config, id);
  const one = findOne(
    id,
    builtIns.map(({ report }) => report.feature),
    found.features,
  );
  const standing = await standingOf(one, openApprovalStore(environment, host));
  const difference = await changesSince(standing);
  const warnings = [
    ...tried.warnings,
    ...found.warnings,
    ...(standing.warning === null ? [] : [standing.warning]),
  ];
  const files =
    standing.content?.files.map(({ path, sha256, content }) => ({
      path,
      bytes: content.byteLength,
      sha256,
    })) ?? null;
  const object = { ...standingJson(standing), descriptor: null, files, difference, warnings };
  write(flags, object, describeThirdParty(standing, difference));
  return exitCode.done;
}

function write(
  flags: FeatureFlags,
  object: { readonly warnings: readonly string[] },
  lines: readonly string[],
): void {
  if (flags.json === true) {
    process.stdout.write(jsonLine(object));
    return;
  }
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
  for (const warning of object.warnings) process.stderr.write(`yoi: ${escapeControls(warning)}\n`);
}
