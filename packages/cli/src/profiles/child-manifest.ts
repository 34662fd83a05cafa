/** The manifest of a child: its parent's model and settings, the choices of its profile on top, and nowhere looser than the parent. */
import { type JsonObject, utf8Length, YoiError } from "@yoi/base";
import {
  type ConfigLayer,
  featureNames,
  type Instruction,
  instructionBytesMax,
  type Manifest,
  manifestToJson,
  type ModelChoice,
  narrowedBy,
  type ProfileChoice,
  type ResolvedManifest,
  type SettingKey,
} from "@yoi/manifest";
import { type ChildManifestRequest, depthMax } from "@yoi/pod";
import { isSubset, permissionAt, permits, quotePath } from "@yoi/scope";
import { resolveConfiguration } from "../compose/configuration.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { tryManifest } from "../features/try-manifest.ts";
import { boundedBy } from "./bounded-by.ts";
import { chooseProfile } from "./choose-profile.ts";

/** Throws config_invalid for a profile that cannot be had, wants less than the loan gives, or needs a feature that the child could not have. */
export async function childManifest(
  request: ChildManifestRequest,
  { environment, stores }: { readonly environment: Environment; readonly stores: Stores },
): Promise<JsonObject> {
  const { parent, lender, loan } = request;
  const profile =
    request.profile === null ? null : await chooseProfile(request.profile, environment, parent.workspace);
  const layers = profile?.layers ?? [];
  if (profile !== null) checkLoan(profile, loan.scope, parent.workspace);
  const saysModel = says(layers, "model.ref");
  const { provider, id, base_url: baseUrl } = parent.model;
  const flags = saysModel ? {} : { model: `${provider}/${id}`, baseUrl };
  const resolved = await resolveConfiguration(environment, parent.workspace, flags, profile);
  const above = [
    ...(parent.permissions.above ?? []),
    { pod: lender, mode: parent.permissions.mode, rules: parent.permissions.rules },
  ];
  const bounded = boundedBy(resolved, parent, above);
  const { worker } = bounded;
  const manifest: Manifest = {
    ...bounded,
    scope: loan.scope,
    model: saysModel ? resolved.manifest.model : modelOf(parent.model, resolved, layers),
    worker: {
      language: says(layers, "worker.language") ? worker.language : parent.worker.language,
      instructions: [...worker.instructions, ...instructionOf(request)],
    },
  };
  if (profile !== null) await checkFeatures(profile, manifest, request, { environment, stores });
  return manifestToJson(manifest);
}

function says(layers: readonly ConfigLayer[], key: SettingKey): boolean {
  return layers.some(({ settings }) => settings[key] !== undefined);
}

/** The parent's, with what the profile says of how it is asked. */
function modelOf(
  parent: ModelChoice,
  { manifest: { model } }: ResolvedManifest,
  layers: readonly ConfigLayer[],
): ModelChoice {
  const { temperature, reasoning, max_output_tokens: outputMax, context_window: window } = model;
  return {
    ...parent,
    ...(says(layers, "model.temperature") && temperature !== undefined && { temperature }),
    ...(says(layers, "model.reasoning") && reasoning !== undefined && { reasoning }),
    ...(says(layers, "model.max_output_tokens") &&
      outputMax !== undefined && { max_output_tokens: outputMax }),
    ...(says(layers, "model.context_window") && window !== undefined && { context_window: window }),
  };
}

function instructionOf({ instruction, lender, name }: ChildManifestRequest): readonly Instruction[] {
  if (instruction === null) return [];
  const bytes = utf8Length(instruction);
  if (bytes > instructionBytesMax) {
    throw new YoiError(
      "usage",
      `The instruction for ${name} has ${bytes} bytes, and ${instructionBytesMax} is the most: say the rest in its task, or in a file that it can read.`,
    );
  }
  return [{ text: instruction, from: `the Pod ${lender}, which started you` }];
}

/** A child's scope is its loan: one that gives more than the profile would let a Pod have is not cut, but refused. */
function checkLoan(
  { selector, layers }: ProfileChoice,
  scope: ChildManifestRequest["loan"]["scope"],
  workspace: string,
): void {
  const narrowed = narrowedBy(scope, layers, workspace);
  if (isSubset(scope, narrowed)) return;
  const over = scope.allow.find(
    ({ target }) => !permits(permissionAt(narrowed, target), permissionAt(scope, target)),
  );
  const what = over === undefined ? "something" : `${over.permission} ${quotePath(over.target)}`;
  throw new YoiError(
    "config_invalid",
    `The profile ${selector} lets no Pod ${what}, which would be lent: lend less than that, or choose another profile.`,
  );
}

/** What the profile switches on itself has to be there. */
async function checkFeatures(
  { selector, layers }: ProfileChoice,
  manifest: Manifest,
  { name, depth }: ChildManifestRequest,
  place: { readonly environment: Environment; readonly stores: Stores },
): Promise<void> {
  const wanted = featureNames.filter(
    (feature) =>
      manifest.features[feature].enabled &&
      layers.find(({ settings }) => settings[`features.${feature}`] !== undefined)?.settings[
        `features.${feature}`
      ] === true,
  );
  if (wanted.length === 0) return;
  const managesPods = depth < depthMax;
  const { builtIns } = await tryManifest(manifest, { ...place, managesPods });
  for (const feature of wanted) {
    const report = builtIns.find(({ descriptor }) => descriptor.id === `builtin:${feature}`)?.report;
    if (report !== undefined && (report.status === "installed" || report.status === "degraded")) continue;
    const why =
      feature === "pods" && !managesPods
        ? `it would be ${depth} levels below a Pod without parent, and a Pod there can have no children`
        : (report?.diagnostics.find(({ severity }) => severity === "error")?.message.replace(/\.$/, "") ??
          "this yoi does not have it");
    throw new YoiError(
      "config_invalid",
      `The profile ${selector} switches on the feature ${feature}, which ${name} could not have, as ${why}: choose a profile that does not need it.`,
    );
  }
}
