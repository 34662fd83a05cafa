/** Own metadata: what came with an item that the model in use made, and only it may have back. */
import type { Item, JsonObject } from "@yoi/base";

export interface Maker {
  /** The provider's name. */
  readonly provider: string;
  /** The provider's model id. */
  readonly id: string;
}

/** Null: there is none, or it is another's. */
export function ownMetadata(item: Item, { provider, id }: Maker): JsonObject | null {
  const data = "provider_data" in item ? item.provider_data : undefined;
  return data?.provider === provider && (data.model ?? id) === id ? data.metadata : null;
}
