/** The one feature that a person names, among those of third parties that were found. */
import { escapeControls, nearest, YoiError } from "@yoi/base";
import type { FeatureId } from "@yoi/feature";
import type { FoundFeature } from "./found-feature.ts";

/** @param builtIns their ids, which may be what was meant. Throws feature_unknown with a suggestion. */
export function findOne(
  id: string,
  builtIns: readonly string[],
  found: readonly FoundFeature[],
): FoundFeature & { readonly id: FeatureId } {
  for (const one of found) if (one.id === id) return { ...one, id: one.id };
  throw unknown(id, [...builtIns, ...found.flatMap((feature) => feature.id ?? [])]);
}

/** Of an id in a sentence. */
const shownCharsMax = 128;

export function unknown(id: string, known: readonly string[]): YoiError {
  const said = escapeControls(JSON.stringify(id.slice(0, shownCharsMax)));
  const near = known.find((one) => one.slice(one.indexOf(":") + 1) === id) ?? nearest(id, known);
  const hint = near === null ? "see" : `did you mean ${near}? See`;
  return new YoiError("feature_unknown", `There is no feature ${said} here: ${hint} \`yoi feature list\`.`);
}
