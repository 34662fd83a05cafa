/** The model: which one, and what was said for it. */
import { YoiError } from "@yoi/base";
import { modelJson, providerJson } from "./definitions.ts";
import { builtIn, byChoice, firstSaid, lowest, ofUser, said, type Sourced } from "./layered.ts";
import type { ModelChoice } from "./manifest.ts";
import { parseModelRef } from "./model-ref.ts";
import type { ConfigEntry, ConfigLayers, ResolveInput } from "./resolve-input.ts";

interface Draft {
  ref: Sourced<string> | null;
  base_url: Sourced<string> | null;
  context_window: Sourced<number> | null;
}

/** Whose a base URL on the command line is when no model is named beside it: that of a server of the user's own, which gets no provider's key. */
export const serverProvider = "openai-compatible";

/**
 * A stronger layer that names another provider takes the endpoint of a weaker one away with it, and another model its window: else a workspace
 * that picks a provider would send that provider's credentials to an endpoint that was meant for another. For the same reason a flag with an
 * endpoint and no model leaves only models of its provider.
 */
export function resolveModel(
  input: ResolveInput,
  warnings: string[],
): { choice: ModelChoice; sources: readonly ConfigEntry[] } {
  const { layers, flags, defaultModel } = input;
  const draft: Draft = { ref: null, base_url: null, context_window: null };
  if (defaultModel !== undefined) draft.ref = { value: defaultModel, origin: builtIn };
  const provider = flags.baseUrl === undefined || flags.model !== undefined ? null : providerAt(layers);
  for (const layer of byChoice(layers).toReversed()) {
    const ref = said(layer, "model.ref");
    if (ref !== null && provider !== null && providerOf(ref.value) !== provider) {
      warnings.push(
        `${ref.origin}: model.ref = "${ref.value}" does not count beside --base-url, which is for ${provider} when no model is named: pass --model ${ref.value} as well if that is meant.`,
      );
      continue;
    }
    choose(draft, ref);
    draft.base_url = said(layer, "model.base_url") ?? draft.base_url;
    draft.context_window = said(layer, "model.context_window") ?? draft.context_window;
  }
  choose(draft, flags.model === undefined ? null : { value: flags.model, origin: "--model" });
  if (flags.baseUrl !== undefined) draft.base_url = { value: flags.baseUrl, origin: "--base-url" };

  const parsed = draft.ref === null ? null : parseModelRef(draft.ref.value);
  if (draft.ref === null || parsed === null) {
    throw new YoiError(
      "config_invalid",
      `No model is chosen: pass --model provider/id, or write ref = "provider/id" below [model] in ${layers.user?.source.path ?? "your config.toml"}.`,
    );
  }
  const temperature = firstSaid(byChoice(layers), "model.temperature") ?? undefined;
  const reasoning = firstSaid(byChoice(layers), "model.reasoning") ?? undefined;
  const output = lowest(layers, "model.max_output_tokens", null, warnings);
  const { providers = [], models = [] } = layers.user ?? {};
  const definition = providers.find(({ name }) => name === parsed.provider);
  const model = models.find(({ ref }) => ref === `${parsed.provider}/${parsed.id}`);
  const choice: ModelChoice = {
    ...parsed,
    ...(draft.base_url !== null && { base_url: draft.base_url.value }),
    ...(draft.context_window !== null && { context_window: draft.context_window.value }),
    ...(output.value !== null && { max_output_tokens: output.value }),
    ...(temperature !== undefined && { temperature: temperature.value }),
    ...(reasoning !== undefined && { reasoning: reasoning.value }),
    ...(definition !== undefined && { provider_definition: definition }),
    ...(model !== undefined && { definition: model }),
  };
  const unset: Sourced<null> = { value: null, origin: builtIn };
  const sources: ConfigEntry[] = [
    { key: "model.ref", ...draft.ref },
    { key: "model.base_url", ...(draft.base_url ?? unset) },
    { key: "model.context_window", ...(draft.context_window ?? unset) },
    { key: "model.max_output_tokens", ...output },
    { key: "model.temperature", ...(temperature ?? unset) },
    { key: "model.reasoning", ...(reasoning ?? unset) },
    ...providers.map((one, index) => ({
      key: `providers[${index}]`,
      value: providerJson(one),
      origin: one.origin,
    })),
    ...models.map((one, index) => ({ key: `models[${index}]`, value: modelJson(one), origin: one.origin })),
  ];
  return { choice, sources };
}

/** The provider of a base URL on the command line: the one for which a file of the user names an endpoint, else a server of the user's. */
function providerAt(layers: ConfigLayers): string {
  const own = ofUser(layers).find((layer) => said(layer, "model.base_url") !== null);
  return providerOf(said(own, "model.ref")?.value) ?? serverProvider;
}

function choose(draft: Draft, ref: Sourced<string> | null): void {
  if (ref === null) return;
  const before = draft.ref?.value;
  if (providerOf(before) !== providerOf(ref.value)) draft.base_url = null;
  if (before !== ref.value) draft.context_window = null;
  draft.ref = ref;
}

function providerOf(ref: string | undefined): string | null {
  return ref === undefined ? null : (parseModelRef(ref)?.provider ?? null);
}
