/** The manifest of a child: its parent's model and settings, the choices of its profile on top, and nowhere looser than the parent. */
import { type JsonObject, utf8Length, YoiError } from "@yoi/base";
import {
  askedAs,
  askingKeys,
  boundedBy,
  builtIn,
  type ConfigLayer,
  featureNames,
  type FlagLayer,
  type Instruction,
  instructionBytesMax,
  type Manifest,
  manifestToJson,
  narrowedBy,
  parseModelRef,
  policiesBelow,
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
import { chooseProfile } from "./choose-profile.ts";
import { denyingToo } from "./denying-too.ts";
import { checkRole } from "./ticket-role.ts";

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
  const flags = modelFlags(profile, request);
  const resolved = await resolveConfiguration(environment, parent.workspace, flags, profile);
  const own = { ...resolved.manifest, sandbox: sandboxOf(resolved, parent) };
  if (profile !== null) checkRole(profile, own, request);
  const bounded = boundedBy(own, parent, policiesBelow(lender, parent));
  const { worker } = bounded;
  const manifest: Manifest = {
    ...bounded,
    scope: denyingToo(loan.scope, own.scope),
    model: says(layers, "model.ref")
      ? own.model
      : askedAs(
          parent.model,
          own.model,
          askingKeys.filter((key) => says(layers, `model.${key}`)),
        ),
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

/**
 * The parent's model, unless the profile names another; what goes to the same provider goes where the parent's goes. Throws config_invalid where a file of the
 * workspace names another provider: its profile is named by a model, and would choose where the user's code and keys are sent.
 */
function modelFlags(
  profile: ProfileChoice | null,
  { parent: { model }, lender }: ChildManifestRequest,
): FlagLayer {
  const { provider, base_url: baseUrl } = model;
  const layers = profile?.layers ?? [];
  const layer = layers.find(({ settings }) => settings["model.ref"] !== undefined);
  const ref = layer?.settings["model.ref"];
  if (layer === undefined || ref === undefined) return { model: `${provider}/${model.id}`, baseUrl };
  const wanted = parseModelRef(ref)?.provider;
  if (wanted === provider) return says(layers, "model.base_url") ? {} : { model: ref, baseUrl };
  if (layer.source.trust === "user") return {};
  throw new YoiError(
    "config_invalid",
    `${layer.origins.get("model.ref") ?? layer.source.path}: the profile ${profile?.selector} comes with the workspace, and its model ${ref} is of another provider than that of ${lender}, which is ${provider}: a profile of the workspace does not choose where code and keys are sent, so choose one of the user's, or none.`,
  );
}

/** The user may have switched the parent's sandbox off for this one start, of which the child is a part. What any file says of it wins. */
function sandboxOf(
  { manifest: { sandbox }, sources }: ResolvedManifest,
  parent: Manifest,
): Manifest["sandbox"] {
  const isSaid = sources.some(({ key, origin }) => key === "sandbox.mode" && origin !== builtIn);
  return isSaid ? sandbox : { ...sandbox, mode: parent.sandbox.mode };
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
  const over = scope.allow.find((rule) => !isSubset({ allow: [rule], deny: scope.deny }, narrowed));
  const isPart = over !== undefined && permits(permissionAt(narrowed, over.target), over.permission);
  const what =
    over === undefined
      ? "something"
      : `${over.permission} ${isPart ? "all of " : ""}${quotePath(over.target)}`;
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
