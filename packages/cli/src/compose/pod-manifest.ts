/** The manifest that a Pod runs with: today's configuration, the profile and the choices that the Pod keeps, and of a child the bounds of its parent. */
import { type PodName, YoiError } from "@yoi/base";
import {
  askedAs,
  boundedBy,
  boundedByAll,
  type Manifest,
  parseManifest,
  parseProfileSelector,
  type ProfileChoice,
  type ResolvedManifest,
} from "@yoi/manifest";
import { writingOnly } from "@yoi/scope";
import { chooseProfile } from "../profiles/choose-profile.ts";
import { denyingToo } from "../profiles/denying-too.ts";
import { resolveConfiguration } from "./configuration.ts";
import { resolveWithModel } from "./find-model.ts";
import { checkKeptModel, flagLayer, withKeptMode } from "./kept-model.ts";
import type { PodFlags } from "./pod-flags.ts";
import type { SetupRequest } from "./pod-setup.ts";
import { checkNoWrites } from "./started-by-parent.ts";
import { checkWrites, writesInForce } from "./writes.ts";

export interface PodManifest {
  readonly manifest: Manifest;
  readonly resolved: ResolvedManifest;
}

/** @param kept what the Pod was opened with last; null: it is new. */
export async function resolvePodManifest(
  request: SetupRequest,
  kept: Manifest | null,
  workspace: string,
): Promise<PodManifest> {
  const { name, stored, lent, flags, environment, stores, say } = request;
  if (lent !== null) checkNoWrites(flags, name, lent.lender);
  if (kept !== null) checkKeptProfile(name, flags.profile, kept);
  const profile = kept === null ? await profileOf(request, workspace) : kept.profile;
  // What a child was told before its parent lent to it anew is over.
  const writes = lent === null ? await writesInForce(flags, workspace, kept) : undefined;
  const resolved = await resolveWithModel({
    flags: { ...flagLayer(flags, kept), ...(writes === undefined ? {} : { writes }) },
    kept,
    resolve: (layer) => resolveConfiguration(environment, workspace, layer, profile),
    environment,
    host: stores.host,
    say,
    signal: request.signal,
  });
  for (const warning of resolved.warnings) say(warning);
  const own = withKeptMode(resolved.manifest, flags, kept);
  if (flags.write !== undefined) checkWrites(writes ?? [], own);
  if (kept !== null) checkKeptModel(name, flags, kept, own);
  const parent = stored?.parent ?? null;
  if (kept === null || parent === null) return { manifest: own, resolved };
  const manifest = childAgain(own, kept, request);
  sayBounds(flags, manifest, { parent: parent.pod, say });
  return { manifest, resolved };
}

/** A flag that names the profile that a Pod has is no fault. Throws usage. */
export function checkKeptProfile(
  name: PodName,
  wanted: string | undefined,
  { profile }: Pick<Manifest, "profile">,
): void {
  if (wanted === undefined) return;
  const named = parseProfileSelector(wanted);
  const has = profile === null ? null : parseProfileSelector(profile.selector);
  const isSame =
    named !== null && named.name === has?.name && (named.source === null || named.source === has.source);
  if (isSame) return;
  throw new YoiError(
    "usage",
    `The Pod ${name} was started with ${profile === null ? "no profile" : `the profile ${profile.selector}`}, which it keeps: leave out --profile, or name another Pod.`,
  );
}

async function profileOf(
  { flags, environment, managesPods, say }: SetupRequest,
  workspace: string,
): Promise<ProfileChoice | null> {
  if (flags.profile === undefined) return null;
  const profile = await chooseProfile(flags.profile, environment, workspace);
  if (!managesPods && profile.layers.some(({ settings }) => settings["features.pods"] === true)) {
    say(
      `The profile ${profile.selector} switches on tools for other Pods, which a Pod has only where it is hosted: start it with \`yoi pod start\`.`,
    );
  }
  return profile;
}

/** A child has what its parent gave it, whatever the configuration would give: that, and those above it as they are now, can take away only. */
function childAgain(
  own: Manifest,
  kept: Manifest,
  { lent, flags, stores }: Pick<SetupRequest, "lent" | "flags" | "stores">,
): Manifest {
  // Its role too: a child does not become another one because the configuration names another.
  const inRole = { ...own, tickets: { ...own.tickets, role: kept.tickets.role } };
  const asKept = boundedBy(inRole, kept, kept.permissions.above ?? []);
  const above = lent?.above.map(({ name, manifest }) => ({
    pod: name,
    manifest: parseManifest(manifest, stores.pods.pathOf(name)),
  }));
  const bounded = above === undefined ? asKept : boundedByAll(asKept, above);
  const { writes, model } = bounded;
  const scope = denyingToo(lent?.loan.scope ?? kept.scope, own.scope);
  return {
    ...bounded,
    scope: writes === undefined ? scope : writingOnly(scope, writes),
    model: flags.model === undefined && flags.baseUrl === undefined ? askedAs(model, kept.model) : model,
    worker: kept.worker,
  };
}

function sayBounds(
  { permissionMode, sandbox, maxTurns, maxTokens, maxCost }: PodFlags,
  manifest: Manifest,
  { parent, say }: { readonly parent: PodName } & Pick<SetupRequest, "say">,
): void {
  const { mode } = manifest.permissions;
  const wants: readonly (readonly [string, unknown, unknown])[] = [
    ["--permission-mode", permissionMode, mode],
    ["--sandbox", sandbox, manifest.sandbox.mode],
    ["--max-turns", maxTurns, manifest.limits.max_turns],
    ["--max-tokens", maxTokens, manifest.budget?.max_tokens],
    ["--max-cost", maxCost, manifest.budget?.max_cost_usd],
  ];
  for (const [flag, wanted, has] of wants) {
    if (wanted === undefined || wanted === has) continue;
    say(
      `${flag} ${String(wanted)} has no effect: it is ${String(has)}, as this Pod may do no more than its parent ${parent} could when it lent, and can now.`,
    );
  }
}
