/** `yoi feature approve` and `revoke`: what the user decides about a third party's feature, for exactly the bytes that were shown. */
import { escapeControls, YoiError } from "@yoi/base";
import { featureId } from "@yoi/feature";
import { nodeHost } from "@yoi/host";
import { openApprovalStore } from "../compose/approvals.ts";
import { namedWorkspace } from "../compose/configuration.ts";
import { learnEnvironment } from "../compose/secrets.ts";
import { type Environment, openQuestions, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { builtInFeatures } from "../compose/built-in-features.ts";
import { describeThirdParty } from "../features/describe.ts";
import { changesSince } from "../features/difference.ts";
import { findFeatures } from "../features/find-features.ts";
import { findOne, unknown } from "../features/find-one.ts";
import type { FoundFeature } from "../features/found-feature.ts";
import { standingOf } from "../features/standing.ts";
import { encodeSubject, subjectOf } from "../features/subject.ts";
import type { FeatureFlags } from "./feature-list.ts";

export interface ApproveFlags extends FeatureFlags {
  readonly digest?: string;
}

export async function featureApprove(id: string, flags: ApproveFlags): Promise<number> {
  const environment = readEnvironment();
  learnEnvironment(environment);
  refuseBuiltIn(id);
  const found = findOne(id, [], await thirdParties(flags, environment));
  const approvals = openApprovalStore(environment, nodeHost());
  const standing = await standingOf(found, {
    // What is approved anew takes the place of what cannot be read.
    get: (feature) => approvals.get(feature).catch(unlessDamaged),
  });
  const { content, problem } = standing;
  if (content === null)
    throw new YoiError("feature_invalid", `${id} cannot be approved: ${problem ?? "it cannot be read"}.`);
  const difference = await changesSince(standing);
  if (standing.status !== "approved") {
    const lines = describeThirdParty(standing, difference);
    process.stderr.write(lines.map((line) => `${line}\n`).join(""));
    await decide(id, content.digest, flags, environment);
    // Of the bytes that were read and shown: what the files hold by now does not matter.
    const subject = encodeSubject(subjectOf(content));
    await approvals.approve({ feature: id, digest: content.digest, granted: [], subject });
  }
  process.stdout.write(
    flags.json === true
      ? `${JSON.stringify({ approved: id, digest: content.digest })}\n`
      : `Approved ${id} with the digest ${content.digest}. This version does not run it.\n`,
  );
  return exitCode.done;
}

export async function featureRevoke(id: string, flags: FeatureFlags): Promise<number> {
  const environment = readEnvironment();
  learnEnvironment(environment);
  refuseBuiltIn(id);
  const found = await thirdParties(flags, environment);
  const known: readonly string[] = found.flatMap((feature) => feature.id ?? []);
  // Also when its files are gone, or what was decided cannot be read.
  const was = isId(id) && (await openApprovalStore(environment, nodeHost()).revoke(id));
  if (!was && !known.includes(id)) throw unknown(id, known);
  if (flags.json === true) process.stdout.write(`${JSON.stringify({ revoked: id, was_approved: was })}\n`);
  else process.stdout.write(was ? `Revoked the approval of ${id}.\n` : `${id} was not approved.\n`);
  return exitCode.done;
}

async function thirdParties(flags: FeatureFlags, environment: Environment): Promise<readonly FoundFeature[]> {
  const workspace = await namedWorkspace(flags.cd, environment);
  const { features, warnings } = await findFeatures(workspace, environment.directories.config);
  for (const warning of warnings) process.stderr.write(`yoi: ${escapeControls(warning)}\n`);
  return features;
}

function refuseBuiltIn(id: string): void {
  const builtIns = builtInFeatures().map(({ descriptor }) => String(descriptor.id));
  if (!id.startsWith("builtin:")) return;
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

function unlessDamaged(error: unknown): null {
  if (error instanceof YoiError && error.code === "keep_damaged") return null;
  throw error;
}

/** Returns when the answer is yes: typed at a terminal, or given as the digest of what was looked at before. */
async function decide(
  id: string,
  digest: string,
  flags: ApproveFlags,
  { stdin, stderr }: Environment,
): Promise<void> {
  if (flags.digest !== undefined) {
    if (flags.digest === digest) return;
    throw new YoiError(
      "usage",
      `${id} does not have the digest that was given: it is another feature than the one you looked at, or the digest is not whole. Look again with \`yoi feature show ${id}\`.`,
    );
  }
  if (stdin !== "terminal" || !stderr.isTerminal) {
    throw new YoiError(
      "usage",
      `There is no terminal to ask at: look at what \`yoi feature show ${id}\` says, and approve it with --digest and the whole digest from there.`,
    );
  }
  using questions = await openQuestions(new AbortController().signal);
  const answer = await questions.ask(`Approve ${id} as shown? Type yes: `);
  if (answer?.trim() === "yes") return;
  throw new YoiError("cancelled", `${id} was not approved.`);
}
