/** What a Pod keeps of what it was started with, and when it still holds: the model, the base URL, a permission mode. */
import { type PodName, YoiError } from "@yoi/base";
import {
  type FlagLayer,
  type Manifest,
  parseModelRef,
  type ProviderDefinition,
  stricterMode,
  type TypedBudget,
} from "@yoi/manifest";
import type { PodFlags } from "./pod-flags.ts";
import type { BaseUrlInForce } from "./providers.ts";

/** Flags as the strongest layer; the model that a Pod was started with stands where no flag names another, its base URL within its provider. */
export function flagLayer(flags: PodFlags, kept: Manifest | null): FlagLayer {
  const { model, baseUrl, maxTurns, permissionMode, sandbox } = flags;
  const url = baseUrl ?? keptBaseUrl(flags, kept)?.url;
  return {
    ...(model !== undefined
      ? { model }
      : kept === null
        ? {}
        : { model: `${kept.model.provider}/${kept.model.id}` }),
    ...(url === undefined ? {} : { baseUrl: url }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...typedBudget(flags, kept),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

/** What a flag says now; else what one said before. */
function typedBudget({ maxTokens, maxCost }: PodFlags, kept: Manifest | null): Pick<FlagLayer, "budget"> {
  const budget: TypedBudget = {
    ...kept?.budget?.typed,
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(maxCost === undefined ? {} : { max_cost_usd: maxCost }),
  };
  return Object.keys(budget).length === 0 ? {} : { budget };
}

/** Null: a flag names another one or another provider, or it keeps none. */
export function keptBaseUrl({ model, baseUrl }: PodFlags, kept: Manifest | null): BaseUrlInForce | null {
  const url = kept?.model.base_url;
  if (kept === null || url === undefined || baseUrl !== undefined) return null;
  if (model !== undefined && parseModelRef(model)?.provider !== kept.model.provider) return null;
  return { url, setBy: "the base URL that the Pod keeps, which --base-url changes" };
}

/**
 * What a provider's name stands for may have changed since, and a key must not go to a host that it was not meant for. Throws config_invalid for a
 * base URL that was kept of another definition, and where a definition is gone and a built-in provider of its name would take its place.
 */
export function checkKeptModel(name: PodName, flags: PodFlags, kept: Manifest, { model }: Manifest): void {
  const { provider, provider_definition: was } = kept.model;
  const now = model.provider_definition;
  if (model.provider !== provider) return;
  if (was !== undefined && now === undefined) {
    throw new YoiError(
      "config_invalid",
      `The Pod ${name} runs with the provider ${provider} that ${was.origin} defined, and no such definition is there any more: define it again below [[providers]], or name a model of another provider with --model.`,
    );
  }
  if (keptBaseUrl(flags, kept) === null || isSameEndpoint(was, now)) return;
  throw new YoiError(
    "config_invalid",
    `The Pod ${name} keeps the base URL ${kept.model.base_url} for the provider ${provider}, which is another one since it was kept (${now?.origin ?? "built in"}): say with --base-url where its requests and its key go now.`,
  );
}

function isSameEndpoint(a: ProviderDefinition | undefined, b: ProviderDefinition | undefined): boolean {
  return (
    a?.kind === b?.kind &&
    a?.base_url === b?.base_url &&
    a?.key_variable === b?.key_variable &&
    a?.secret === b?.secret
  );
}

/** The stricter of the mode that the configuration has now and the one that was in force last: only a flag allows a Pod more than it was let do. */
export function withKeptMode(manifest: Manifest, flags: PodFlags, kept: Manifest | null): Manifest {
  if (kept === null || flags.permissionMode !== undefined) return manifest;
  const { permissions } = manifest;
  const mode = stricterMode(permissions.mode, kept.permissions.mode);
  return { ...manifest, permissions: { ...permissions, mode } };
}
