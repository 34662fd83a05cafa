/** Models in force: those that the catalog has, and what the user's own file says of these and of others. */
import type { Price } from "@yoi/base";
import { type ModelChoice, type ModelDefinition, parseModelRef } from "@yoi/manifest";
import { findProvider, knownModel, type KnownModel, type ModelFacts, models } from "@yoi/model";
import type { ProviderInForce } from "./providers.ts";

/** What the user says of the model of a run: the keys of [model] win over the element of [[models]]. */
export function factsOf({ context_window, max_output_tokens, definition }: ModelChoice): ModelFacts {
  const { contextWindow, outputMax, ...facts } = factsOfDefinition(definition ?? {});
  const window = context_window ?? contextWindow;
  const output = max_output_tokens ?? outputMax;
  return {
    ...facts,
    ...(window === undefined ? {} : { contextWindow: window }),
    ...(output === undefined ? {} : { outputMax: output }),
  };
}

function factsOfDefinition(definition: Partial<ModelDefinition>): ModelFacts {
  const { context_window, max_output_tokens, images, mid_system, price } = definition;
  return {
    ...(context_window === undefined ? {} : { contextWindow: context_window }),
    ...(max_output_tokens === undefined ? {} : { outputMax: max_output_tokens }),
    ...(images === undefined ? {} : { images }),
    ...(mid_system === undefined ? {} : { midSystem: mid_system }),
    ...(price === undefined ? {} : { price }),
  };
}

export interface ModelInForce extends Omit<KnownModel, "priceAt"> {
  /** `provider/id` */
  readonly ref: string;
  readonly provider: string;
  /** Where the user defines it; null: it is built in. */
  readonly origin: string | null;
  /** At the moment that was asked for; null: not known. */
  readonly price: Price | null;
  /** What a run takes when nobody names another. */
  readonly isDefault: boolean;
}

/** What a listing of models is made from. */
export interface ModelsQuestion {
  readonly providers: readonly ProviderInForce[];
  readonly definitions: readonly ModelDefinition[];
  /** The model that the configuration chooses. */
  readonly chosen: ModelChoice;
  /** Milliseconds since the epoch: prices change. */
  readonly nowMs: number;
}

/** The models of the catalog as the user has them, the user's others, and the one that the configuration chooses; provider by provider. */
export function modelsInForce({
  providers,
  definitions,
  chosen,
  nowMs,
}: ModelsQuestion): readonly ModelInForce[] {
  return providers.flatMap(({ entry: { name, kind } }) => {
    if (kind === "scripted") return [];
    const isBuiltIn = findProvider(name)?.kind === kind;
    const own = new Map(
      definitions.flatMap((one) => {
        const ref = parseModelRef(one.ref);
        return ref?.provider === name ? [[ref.id, one] as const] : [];
      }),
    );
    const ids = new Set([
      ...models.filter((model) => isBuiltIn && model.provider === name).map(({ id }) => id),
      ...own.keys(),
      ...(chosen.provider === name ? [chosen.id] : []),
    ]);
    return [...ids].map((id): ModelInForce => {
      const isDefault = chosen.provider === name && chosen.id === id;
      const definition = own.get(id);
      const facts = isDefault ? factsOf(chosen) : factsOfDefinition(definition ?? {});
      const { priceAt, ...known } = knownModel({ provider: name, kind, id, facts });
      return {
        ref: `${name}/${id}`,
        provider: name,
        origin: definition?.origin ?? null,
        isDefault,
        ...known,
        price: priceAt(nowMs),
      };
    });
  });
}
