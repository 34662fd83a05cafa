/** Layers and flags resolved into one manifest: flag, then local, project, user, built-in; and what a workspace brings only narrows. */
import { YoiError } from "@yoi/base";
import { fileUploadBytesDefault, toolOutputBytesMax } from "./config-keys.ts";
import type { ConfigLayer } from "./config-layer.ts";
import { isModelId, isWebUrl, isWholeNumber } from "./config-values.ts";
import { featureNames } from "./feature-names.ts";
import {
  builtIn,
  chosen,
  firstSaid,
  lowest,
  ofUser,
  said,
  stricterOfWorkspace,
  strongest,
  type Sourced,
} from "./layered.ts";
import {
  manifestSchema,
  permissionModes,
  type FeatureToggle,
  type Instruction,
  type Manifest,
  type PermissionMode,
} from "./manifest.ts";
import type {
  ConfigEntry,
  ConfigLayers,
  FlagLayer,
  ResolvedManifest,
  ResolveInput,
} from "./resolve-input.ts";
import { resolveCompaction } from "./resolve-compaction.ts";
import { checkTypedBudget, resolveBudget } from "./resolve-budget.ts";
import { resolveModel } from "./resolve-model.ts";
import { resolveScope } from "./resolve-scope.ts";
import { resolveTerminal } from "./resolve-terminal.ts";
import { resolveTickets } from "./resolve-tickets.ts";
import { skillsDefault } from "./skill-keys.ts";
import { resolveWeb } from "./resolve-web.ts";

/** Throws config_invalid when no model is chosen, and usage for a flag that holds no such value. */
export function resolveManifest(input: ResolveInput): ResolvedManifest {
  const { layers, flags } = input;
  checkFlags(flags);
  const warnings: string[] = [];
  const model = resolveModel(input, warnings);
  const scope = resolveScope(input, warnings);
  const mode =
    flags.permissionMode === undefined
      ? strictestMode(layers, warnings)
      : flag("--permission-mode", flags.permissionMode);
  const sandbox =
    flags.sandbox === undefined
      ? strongest(layers, "sandbox.mode", "on" as const)
      : flag("--sandbox", flags.sandbox);
  const network = strongest(layers, "sandbox.network", false);
  const maxTurns =
    flags.maxTurns === undefined
      ? lowest(layers, "worker.max_turns", null, warnings)
      : flag("--max-turns", flags.maxTurns);
  const outputBytes = lowest(layers, "worker.tool_output.default_max_bytes", toolOutputBytesMax, warnings);
  const uploadBytes = lowest(layers, "worker.file_upload.max_bytes", fileUploadBytesDefault, warnings);
  const language = chosen(layers, "worker.language", null);
  const trace = strongest(layers, "session.record_event_trace", false);
  const web = resolveWeb(layers);
  const budget = resolveBudget(layers, flags.budget ?? {}, warnings);
  const compaction = resolveCompaction(layers);
  const { profiles = [] } = layers;
  const rules = [...profiles, layers.local, layers.project, layers.user].flatMap(
    (layer) => layer?.rules ?? [],
  );
  const features = resolveFeatures(layers);
  const tickets = resolveTickets(layers);
  const skills = strongest(layers, "skills.enabled", skillsDefault.enabled);
  const instructions = instructionsOf(profiles);

  const manifest: Manifest = {
    schema: manifestSchema,
    workspace: input.workspace,
    model: model.choice,
    scope: scope.scope,
    ...(flags.writes !== undefined && { writes: flags.writes }),
    permissions: { mode: mode.value, rules },
    sandbox: { mode: sandbox.value, network: network.value },
    limits: {
      max_turns: maxTurns.value,
      tool_output_bytes: outputBytes.value ?? toolOutputBytesMax,
      file_upload_bytes: uploadBytes.value ?? fileUploadBytesDefault,
    },
    ...(budget.choice !== undefined && { budget: budget.choice }),
    web: web.choice,
    session: { record_event_trace: trace.value },
    compaction: compaction.choice,
    worker: { language: language.value, instructions: instructions.map(({ value }) => value) },
    features,
    tickets: tickets.choice,
    skills: { enabled: skills.value },
    profile: input.profile === undefined ? null : { selector: input.profile, layers: profiles },
  };
  const sources: ConfigEntry[] = [
    ...model.sources,
    { key: "permissions.mode", ...mode },
    ...rules.map(({ origin, ...rule }, index) => ({
      key: `permissions.rule[${index}]`,
      value: { ...rule },
      origin,
    })),
    ...scope.sources,
    { key: "sandbox.mode", ...sandbox },
    { key: "sandbox.network", ...network },
    { key: "worker.max_turns", ...maxTurns },
    { key: "worker.language", ...language },
    { key: "worker.tool_output.default_max_bytes", ...outputBytes },
    { key: "worker.file_upload.max_bytes", ...uploadBytes },
    ...budget.sources,
    ...web.sources,
    { key: "session.record_event_trace", ...trace },
    ...compaction.sources,
    ...featureNames.map((name) => ({
      key: `features.${name}`,
      value: features[name].enabled,
      origin: features[name].origin,
    })),
    ...tickets.sources,
    { key: "skills.enabled", ...skills },
    ...resolveTerminal(layers).sources,
    ...instructions.map(({ value, origin }, index) => ({
      key: `worker.instruction[${index}]`,
      value: value.text,
      origin,
    })),
  ];
  const { providers = [], models = [] } = layers.user ?? {};
  return { manifest, sources, definitions: { providers, models }, warnings };
}

function flag<T>(name: string, value: T): Sourced<T> {
  return { value, origin: name };
}

/** The one that lets less pass. */
export function stricterMode(a: PermissionMode, b: PermissionMode): PermissionMode {
  return permissionModes.indexOf(a) >= permissionModes.indexOf(b) ? a : b;
}

function resolveFeatures(layers: ConfigLayers): Manifest["features"] {
  const toggle = (name: (typeof featureNames)[number], otherwise: boolean): FeatureToggle => {
    const { value, origin } = strongest(layers, `features.${name}`, otherwise);
    return { enabled: value, origin };
  };
  return { task: toggle("task", true), pods: toggle("pods", true), tickets: toggle("tickets", false) };
}

/** What is extended stands before what extends it. */
function instructionsOf(profiles: readonly ConfigLayer[]): readonly Sourced<Instruction>[] {
  return profiles.toReversed().flatMap((layer) => {
    const text = said(layer, "worker.instruction");
    if (text === null) return [];
    const from = `the profile ${layer.source.profile?.selector ?? layer.source.path}`;
    return [{ value: { text: text.value, from }, origin: text.origin }];
  });
}

function strictestMode(layers: ConfigLayers, warnings: string[]): Sourced<PermissionMode> {
  const users = firstSaid(ofUser(layers), "permissions.mode") ?? {
    value: "allow-in-scope" as const,
    origin: builtIn,
  };
  const isStricter = (a: PermissionMode, b: PermissionMode): boolean => stricterMode(a, b) !== b;
  const wanted = stricterOfWorkspace(layers, "permissions.mode", isStricter);
  if (wanted === null) return users;
  if (!isStricter(users.value, wanted.value)) return wanted;
  warnings.push(
    `${wanted.origin}: permissions.mode = "${wanted.value}" has no effect: your mode is "${users.value}" (${users.origin}), which is stricter.`,
  );
  return users;
}

function checkFlags(flags: FlagLayer): void {
  checkTypedBudget(flags.budget ?? {});
  if (flags.model !== undefined && !isModelId(flags.model)) {
    throw new YoiError(
      "usage",
      `--model is ${JSON.stringify(flags.model)}, but must be a model as provider/id.`,
    );
  }
  if (flags.baseUrl !== undefined && !isWebUrl(flags.baseUrl)) {
    throw new YoiError(
      "usage",
      "--base-url must be an http or https URL without user, password, query or fragment.",
    );
  }
  if (flags.maxTurns !== undefined && !isWholeNumber(flags.maxTurns, 1)) {
    throw new YoiError("usage", `--max-turns is ${flags.maxTurns}, but must be a whole number, at least 1.`);
  }
}
