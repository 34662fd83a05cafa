/** `yoi feature approve` and `revoke`: what the user decides about a third party's feature, for exactly the bytes that were shown. */
import { escapeControls, YoiError } from "@yoi/base";
import { featureId } from "@yoi/feature";
import { nodeHost } from "@yoi/host";
import { openApprovalStore } from "../compose/approvals.ts";
import { builtInDescriptors } from "../compose/built-in-features.ts";
import { namedWorkspace } from "../compose/configuration.ts";
import { learnEnvironment } from "../compose/secrets.ts";
import { type Environment, openQuestions, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { approveFeature } from "../features/approve.ts";
import { findFeatures } from "../features/find-features.ts";
import { findOne, unknown } from "../features/find-one.ts";
import type { FoundFeature } from "../features/found-feature.ts";
import { jsonLine } from "../output/json-line.ts";
import type { FeatureFlags } from "./feature-list.ts";

export interface ApproveFlags extends FeatureFlags {
  readonly digest?: string;
}

export async function featureApprove(id: string, flags: ApproveFlags): Promise<number> {
  const environment = readEnvironment();
  learnEnvironment(environment);
  await refuseBuiltIn(id);
  const found = findOne(id, [], await thirdParties(id, flags, environment));
  const digest = await approveFeature(found, {
    approvals: openApprovalStore(environment, nodeHost()),
    digest: flags.digest,
    show: (lines) => process.stderr.write(lines.map((line) => `${line}\n`).join("")),
    ask: environment.stdin === "terminal" && environment.stderr.isTerminal ? askAtTerminal : null,
  });
  process.stdout.write(
    flags.json === true
      ? jsonLine({ approved: id, digest })
      : `Approved ${id} with the digest ${digest}. This version does not run it.\n`,
  );
  return exitCode.done;
}

async function askAtTerminal(question: string): Promise<string | null> {
  using questions = await openQuestions(new AbortController().signal);
  return await questions.ask(question);
}

export async function featureRevoke(id: string, flags: FeatureFlags): Promise<number> {
  const environment = readEnvironment();
  learnEnvironment(environment);
  await refuseBuiltIn(id);
  const found = await thirdParties(id, flags, environment);
  const known: readonly string[] = found.flatMap((feature) => feature.id ?? []);
  // Also when its files are gone, or what was decided cannot be read.
  const was = isId(id) && (await openApprovalStore(environment, nodeHost()).revoke(id));
  if (!was && !known.includes(id)) throw unknown(id, known);
  if (flags.json === true) process.stdout.write(jsonLine({ revoked: id, was_approved: was }));
  else process.stdout.write(was ? `Revoked the approval of ${id}.\n` : `${id} was not approved.\n`);
  return exitCode.done;
}

async function thirdParties(
  id: string,
  flags: FeatureFlags,
  environment: Environment,
): Promise<readonly FoundFeature[]> {
  const workspace = await namedWorkspace(flags.cd, environment);
  const { features, warnings } = await findFeatures(workspace, environment.directories.config, id);
  for (const warning of warnings) process.stderr.write(`yoi: ${escapeControls(warning)}\n`);
  return features;
}

async function refuseBuiltIn(id: string): Promise<void> {
  if (!id.startsWith("builtin:")) return;
  const builtIns = (await builtInDescriptors()).map((descriptor) => String(descriptor.id));
  if (!builtIns.includes(id)) throw unknown(id, builtIns);
  throw new YoiError(
    "usage",
    `${id} ships with yoi: it needs no approval, and none can be given or revoked. \`yoi feature show ${id}\` says what it does.`,
  );
}

function isId(text: string): boolean {
  try {
    featureId(text);
    return true;
  } catch (error) {
    if (error instanceof YoiError) return false;
    throw error;
  }
}
