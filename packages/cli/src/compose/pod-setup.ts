/** What a Pod of this program runs with: configuration, model, sandbox, tools and prompt, put together under its lease. */
import { type Clock, type PodName, type RequestConfig, YoiError } from "@yoi/base";
import {
  builtIn,
  type Manifest,
  manifestToJson,
  type ModelChoice,
  parseManifest,
  type ResolvedManifest,
} from "@yoi/manifest";
import { type Model, withLimitBoard } from "@yoi/model";
import { type Lent, loadDocuments, type PodSetup, renderSystemPrompt, type SessionSeed } from "@yoi/pod";
import type { PodRecord } from "@yoi/pod-store";
import { LiveScope, type Protection } from "@yoi/scope";
import { lendable, type Skill } from "@yoi/tools";
import type { Environment } from "../environment.ts";
import { knownSecrets } from "../known-secrets.ts";
import { listProfiles } from "../profiles/choose-profile.ts";
import { startable } from "../profiles/ticket-role.ts";
import { limitBoardOf } from "../runtime/limits.ts";
import { canonicalWorkspace, namedWorkspace, ownDirectories } from "./configuration.ts";
import { compactorChoice } from "./compactor-model.ts";
import { builtInFeatures } from "./built-in-features.ts";
import { documentReader } from "./document-reader.ts";
import { makeFeatureHost } from "./feature-host.ts";
import { openGrantStore, realPath } from "./granting.ts";
import { keptBaseUrl } from "./kept-model.ts";
import { type ConfiguredModel, openConfiguredModel } from "./model.ts";
import type { PodFlags } from "./pod-flags.ts";
import { type PodManifest, resolvePodManifest } from "./pod-manifest.ts";
import { openPodSkills, skillWarnings } from "../skills/pod-skills.ts";
import { makePodTools } from "./pod-tools.ts";
import { configuredBaseUrl } from "./providers.ts";
import { redactedModel } from "./redacted-model.ts";
import { openRunner, protectionFor } from "./sandbox.ts";
import { quarantineDirectory, spillDirectory, type Stores } from "./stores.ts";

export interface SetupRequest {
  readonly name: PodName;
  readonly stored: PodRecord | null;
  /** Of a child, what its parent lends it now. */
  readonly lent: Lent | null;
  /** The workspace that the caller named, canonical; null: the stored one, or the current directory. */
  readonly workspace: string | null;
  readonly flags: PodFlags;
  readonly environment: Environment;
  readonly stores: Stores;
  /** The Pod must be there already: there is no input to start one with. */
  readonly mustExist: boolean;
  /** The Pod must not be there yet: nobody asked for one of this name. */
  readonly mustBeNew: boolean;
  /** This process hosts the Pod, and can begin children. */
  readonly managesPods: boolean;
  /** A sentence for the user. */
  readonly say: (text: string) => void;
  /** Ends the wait for what is outside of yoi. */
  readonly signal: AbortSignal;
}

/** What a Pod runs with, and how its shells are bounded. */
export interface RunSetup extends PodSetup {
  readonly sandbox: "on" | "off" | "missing";
  /** Where each value of the manifest is said. */
  readonly sources: ResolvedManifest["sources"];
  /** That its model and its user can load. */
  readonly skills: readonly Skill[];
}

/**
 * A Pod keeps its workspace, its model, its profile and a permission mode stricter than the configuration's, whoever opens it. What else it may do (scope,
 * rules, sandbox, limits) is resolved from the configuration anew at each start, so that a rule added today binds an old Pod too. A child may do at most
 * what its parent could when it lent and what those above it may now, and touches its loan.
 */
export async function makePodSetup(request: SetupRequest): Promise<RunSetup> {
  const { name, stored, environment, stores, say } = request;
  if (stored === null && request.mustExist) {
    throw new YoiError(
      "nothing_to_resume",
      `There is no Pod named ${name}: give a prompt to start it, or see \`yoi pod list\`.`,
    );
  }
  if (stored !== null && request.mustBeNew)
    throw new YoiError("pod_exists", `The drawn name ${name} is that of another Pod: draw another one.`);
  const start = await resolveStart(request);
  const { workspace, manifest, resolved } = start;
  const spill = spillDirectory(stores.dataDir, name);
  const protection = protectionFor(environment, workspace, spill);
  // Beside each other: bubblewrap is tried while the provider's library loads and profiles are read. A runner holds nothing before its first command.
  const [runner, opened, profiles, compactor, skills] = await Promise.all([
    openRunner(
      { mode: manifest.sandbox.mode, protection, unixSockets: request.lent === null },
      environment,
      quarantineDirectory(stores.dataDir, name),
      stores.host,
    ),
    openStartModel(request, start),
    request.managesPods ? listProfiles(environment, workspace) : null,
    openCompactor(request, start),
    openPodSkills(manifest, protection, environment),
  ]);
  for (const warning of [...opened.warnings, ...(compactor?.warnings ?? [])]) say(warning);
  const { model, forgetLimits } = askedModel(request, opened);
  const summarises = compactor === null ? null : askedModel(request, compactor).model;
  try {
    for (const warning of skills === null ? [] : skillWarnings(skills.found)) say(warning);
    if (runner.status.mode === "off") say("The sandbox is off: shell commands run with all your rights.");
    if (runner.status.mode === "missing") say(runner.status.reason);
    const seesImages = () => model.capabilities.images;
    const scope = new LiveScope(
      manifest.scope,
      stored?.children.map(({ loan }) => loan),
    );
    const tools = await makePodTools({
      name,
      manifest,
      scope,
      protection,
      runner,
      skills,
      seesImages,
      environment,
      stores,
    });
    return {
      manifest,
      manifestJson: manifestToJson(manifest, stored?.manifest),
      model,
      forgetLimits,
      config: requestConfig(manifest.model, model),
      ...(summarises === null
        ? {}
        : { compactor: { model: summarises, config: requestConfig({}, summarises) } }),
      ...tools,
      features: await builtInFeatures({
        profiles: profiles === null ? null : startable(profiles, manifest),
        tickets: speaksOfTickets(manifest) ? { name, manifest, host: stores.host } : null,
      }),
      featureHost: makeFeatureHost({ manifest, scope, protection, environment, stores }),
      sources: resolved.sources,
      sandbox: runner.status.mode === "bubblewrap" ? "on" : runner.status.mode,
      skills: skills?.found.skills ?? [],
      seed: () => renderSeed(manifest, skills?.found.skills ?? [], protection, stores.host.clock, say),
      scope,
      lendable: (rules) => lendable(rules, { ...stores.host, scope: scope.current, protection }),
      granting: { grants: openGrantStore(environment, stores.host), protection, realPath },
      endStrays: (pod) => runner.endStrays(pod),
      release: async () => {
        await runner.close();
        await model.close?.();
        await summarises?.close?.();
      },
    };
  } catch (error) {
    await model.close?.();
    await summarises?.close?.();
    throw error;
  }
}

/** Whether its report is to say that it has no tickets: where somebody switched them off, and not where nobody spoke of them. */
function speaksOfTickets({ features: { tickets } }: Manifest): boolean {
  return tickets.enabled || tickets.origin !== builtIn;
}

/** As a Pod asks it: nothing that it says shows a credential, and what it says of an account's limit holds for all Pods of that. */
function askedModel(
  { environment: { directories }, stores: { host }, say }: SetupRequest,
  { model, account }: ConfiguredModel,
): { readonly model: Model; readonly forgetLimits: () => Promise<void> } {
  const redacted = redactedModel(model, knownSecrets);
  const board = account === null ? null : limitBoardOf(account, { directories, host, say });
  return board === null
    ? { model: redacted, forgetLimits: async () => {} }
    : { model: withLimitBoard(redacted, board, host.clock), forgetLimits: () => board.clear() };
}

/** What a Pod would run with, from files and flags alone: nothing is opened, made or changed. */
export async function resolveStart(request: SetupRequest): Promise<ResolvedStart> {
  const { name, stored, stores } = request;
  const kept = stored === null ? null : parseManifest(stored.manifest, stores.pods.pathOf(name));
  const workspace = await chooseWorkspace(request, kept);
  return { kept, workspace, ...(await resolvePodManifest(request, kept, workspace)) };
}

interface ResolvedStart extends PodManifest {
  /** What the Pod was opened with last; null: it is new. */
  readonly kept: Manifest | null;
  readonly workspace: string;
}

/** Null: the Pod's own model summarises. The caller closes it. */
async function openCompactor(
  { flags, environment, stores }: SetupRequest,
  { kept, manifest, resolved, workspace }: ResolvedStart,
): Promise<ConfiguredModel | null> {
  const choice = compactorChoice({ manifest, definitions: resolved.definitions });
  if (choice === null) return null;
  const isSame = choice.provider === manifest.model.provider;
  const baseUrl = isSame ? (keptBaseUrl(flags, kept) ?? configuredBaseUrl(resolved)) : null;
  return openConfiguredModel(choice, baseUrl, environment, stores.host, workspace);
}

/** With its credentials; the caller closes it. */
export function openStartModel(
  { flags, environment, stores }: SetupRequest,
  { kept, manifest, resolved, workspace }: ResolvedStart,
): Promise<ConfiguredModel> {
  const baseUrl = keptBaseUrl(flags, kept) ?? configuredBaseUrl(resolved);
  return openConfiguredModel(manifest.model, baseUrl, environment, stores.host, workspace);
}

function requestConfig(choice: Partial<ModelChoice>, model: Model): RequestConfig {
  const outputMax = choice.max_output_tokens ?? model.limits.outputTokensMax;
  return {
    model: `${model.provider}/${model.id}`,
    ...(outputMax === null ? {} : { max_output_tokens: outputMax }),
    ...(choice.temperature === undefined ? {} : { temperature: choice.temperature }),
    ...(choice.reasoning === undefined ? {} : { reasoning: choice.reasoning }),
    ...(model.capabilities.images ? { images: true } : {}),
    ...(model.capabilities.midSystem ? { mid_system: true } : {}),
  };
}

/** The system prompt of a new segment, with the instruction files that are in it. */
async function renderSeed(
  { workspace, scope, worker }: Manifest,
  skills: readonly Skill[],
  protection: Protection,
  clock: Clock,
  say: SetupRequest["say"],
): Promise<SessionSeed> {
  const loaded = await loadDocuments(workspace, await documentReader(workspace, protection));
  for (const warning of loaded.warnings) say(warning);
  const date = new Date(clock.now()).toISOString().slice(0, 10);
  const prompt = renderSystemPrompt({
    workspace,
    scope,
    date,
    language: worker.language,
    instructions: worker.instructions,
    documents: loaded.documents,
    skills,
  });
  return { prompt, documents: loaded.documents.map(({ text: _, ...document }) => document) };
}

async function chooseWorkspace(
  { workspace, environment, name }: SetupRequest,
  kept: Manifest | null,
): Promise<string> {
  if (kept === null) return workspace ?? namedWorkspace(undefined, environment);
  if (workspace !== null && workspace !== kept.workspace) {
    throw new YoiError(
      "usage",
      `The Pod ${name} works in ${kept.workspace}, not in ${workspace}: leave out -C, or name another Pod.`,
    );
  }
  return canonicalWorkspace(kept.workspace, ownDirectories(environment), name);
}
