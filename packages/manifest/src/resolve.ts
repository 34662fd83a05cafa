/** Layers and flags resolved into one manifest: flag, then local, project, user, built-in; and what a workspace brings only narrows. */
import { YoiError } from "@yoi/base";
import { fileUploadBytesDefault, toolOutputBytesMax } from "./config-keys.ts";
import { isModelId, isWebUrl, isWholeNumber } from "./config-values.ts";
import { builtIn, lowest, said, strongest, type Sourced } from "./layered.ts";
import { manifestSchema, permissionModes, type Manifest, type PermissionMode } from "./manifest.ts";
import type {
  ConfigEntry,
  ConfigLayers,
  FlagLayer,
  ResolvedManifest,
  ResolveInput,
} from "./resolve-input.ts";
import { resolveModel } from "./resolve-model.ts";
import { resolveScope } from "./resolve-scope.ts";
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
  const language = strongest(layers, "worker.language", null);
  const trace = strongest(layers, "session.record_event_trace", false);
  const web = resolveWeb(layers);
  const rules = [layers.local, layers.project, layers.user].flatMap((layer) => layer?.rules ?? []);

  const manifest: Manifest = {
    schema: manifestSchema,
    workspace: input.workspace,
    model: model.choice,
    scope: scope.scope,
    permissions: { mode: mode.value, rules },
    sandbox: { mode: sandbox.value, network: network.value },
    limits: {
      max_turns: maxTurns.value,
      tool_output_bytes: outputBytes.value ?? toolOutputBytesMax,
      file_upload_bytes: uploadBytes.value ?? fileUploadBytesDefault,
    },
    web: web.choice,
    session: { record_event_trace: trace.value },
    worker: { language: language.value },
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
    ...web.sources,
    { key: "session.record_event_trace", ...trace },
  ];
  const { providers = [], models = [] } = layers.user ?? {};
  return { manifest, sources, definitions: { providers, models }, warnings };
}

function flag<T>(name: string, value: T): Sourced<T> {
  return { value, origin: name };
}

function strictestMode(layers: ConfigLayers, warnings: string[]): Sourced<PermissionMode> {
  const users = said(layers.user, "permissions.mode") ?? {
    value: "allow-in-scope" as const,
    origin: builtIn,
  };
  const wanted = said(layers.local, "permissions.mode") ?? said(layers.project, "permissions.mode");
  if (wanted === null) return users;
  if (permissionModes.indexOf(wanted.value) >= permissionModes.indexOf(users.value)) return wanted;
  warnings.push(
    `${wanted.origin}: permissions.mode = "${wanted.value}" has no effect: your mode is "${users.value}" (${users.origin}), which is stricter.`,
  );
  return users;
}

function checkFlags(flags: FlagLayer): void {
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
