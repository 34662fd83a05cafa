/** A third party's feature as it was found: an id from its place and name, and how to read it. */
import { YoiError } from "@yoi/base";
import { featureId, type FeatureId } from "@yoi/feature";
import { type FeatureContent, shown } from "./content.ts";

export interface FoundFeature {
  /** Null: its name gives none. */
  readonly id: FeatureId | null;
  /** As it is called where it was found. */
  readonly name: string;
  readonly source: "project" | "user" | "package";
  /** Of its file, or of its package's folder. */
  readonly path: string;
  /** As its package says. */
  readonly version: string | null;
  /** Why nobody can approve it, known without reading it: a clause. */
  readonly problem: string | null;
  /** Throws feature_invalid with a clause, why it cannot be shown or approved. */
  readonly read: () => Promise<FeatureContent>;
}

export interface Findings {
  readonly features: readonly FoundFeature[];
  /** What could not be looked at: a sentence each. */
  readonly warnings: readonly string[];
}

/** Of one folder of features. */
export const featuresMax = 256;

/** The id that a name gives, or why it gives none. */
export function idOf(source: FoundFeature["source"], slug: string): Pick<FoundFeature, "id" | "problem"> {
  try {
    // A colon in it would read as another part of the id.
    if (!slug.includes(":")) return { id: featureId(`${source}:${slug}`), problem: null };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
  }
  const rule = `lower-case letters, digits, "-", "_" and ".", beginning with a letter or digit`;
  return { id: null, problem: `its name ${shown(slug)} gives no id: use ${rule}` };
}
