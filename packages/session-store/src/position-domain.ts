/** The domain of the `extension` that says how far its sender has told the model. */

/** @param source of the notices, a feature's id. */
export function positionDomain(source: string): string {
  return `position/${source}`;
}
