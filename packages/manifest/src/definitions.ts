/** What the user's own file adds to the providers and models that yoi knows. An entry wins over a built-in one of its name. */
import type { JsonObject, ProviderKind, TokenRates } from "@yoi/base";

export interface ProviderDefinition {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly base_url: string;
  /** As people know it. */
  readonly label: string;
  /** Environment variable of its key; null: none is asked. */
  readonly key_variable: string | null;
  /** Id of its key in the secret store, asked after the variable; null: it is not. Both null: it takes no key. */
  readonly secret: string | null;
  /** `<path>:<line>` */
  readonly origin: string;
}

/** What it does not say is what the catalog says, or a default. */
export interface ModelDefinition {
  /** `provider/id` */
  readonly ref: string;
  readonly context_window?: number;
  readonly max_output_tokens?: number;
  readonly images?: boolean;
  readonly mid_system?: boolean;
  readonly price?: TokenRates;
  /** `<path>:<line>` */
  readonly origin: string;
}

/** As JSON, without its origin. */
export function providerJson({ origin: _, ...provider }: ProviderDefinition): JsonObject {
  return { ...provider };
}

export function modelJson({ origin: _, price, ...model }: ModelDefinition): JsonObject {
  return { ...model, ...(price !== undefined && { price: { ...price } }) };
}
