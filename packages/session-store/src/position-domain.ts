/** How far a sender of notices has told: the `extension` of a domain of its own, or a field of the notice itself. */
import type { InboxAccepted, JsonValue } from "@yoi/base";

/** @param source of the notices, a feature's id. */
export function positionDomain(source: string): string {
  return `position/${source}`;
}

export function keepPosition(
  extensions: Map<string, JsonValue>,
  { item, position }: Pick<InboxAccepted, "item" | "position">,
): void {
  if (position !== undefined) extensions.set(positionDomain(item.source), position);
}
