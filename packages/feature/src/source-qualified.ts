/** Names that say where what they name comes from: of features, and of the services that they offer each other. */
import { YoiError } from "@yoi/base";

declare const brand: unique symbol;

/** `builtin:task`, `project:lint`, `package:@acme/lint`: who a feature is. `builtin:` is for features that ship with yoi. */
export type FeatureId = string & { readonly [brand]: "FeatureId" };
/** The same form, for a service. */
export type ServiceId = string & { readonly [brand]: "ServiceId" };

/** Where a feature can come from: the program, the workspace's `.yoi/features`, the user's own, an installed package, a plugin by its digest. */
export const featureSources = ["builtin", "project", "user", "package", "plugin"] as const;
export type FeatureSource = (typeof featureSources)[number];

export const sourceQualifiedCharsMax = 128;

const pattern =
  /^(builtin|project|user|package|plugin)(:@?[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)?){1,2}$/;

/** Throws feature_invalid. */
export function featureId(text: string): FeatureId {
  return checked(text, "feature id") as FeatureId;
}

/** Throws feature_invalid. */
export function serviceId(text: string): ServiceId {
  return checked(text, "service id") as ServiceId;
}

export function sourceOf(id: FeatureId | ServiceId): FeatureSource {
  const source = featureSources.find((known) => id.startsWith(`${known}:`));
  if (source === undefined) throw new Error(`an id without a source: ${id}`);
  return source;
}

/** `text` is what a feature gave, so it may be anything. */
function checked(text: unknown, what: string): string {
  if (typeof text === "string" && text.length <= sourceQualifiedCharsMax && pattern.test(text)) return text;
  const shown =
    typeof text === "string"
      ? JSON.stringify(text.slice(0, sourceQualifiedCharsMax))
      : `of type ${typeof text}`;
  throw new YoiError(
    "feature_invalid",
    `The ${what} ${shown} is not valid: it is a source (${featureSources.join(", ")}), a colon, and a name in lower-case letters, digits, "-", "_" or ".", at most ${sourceQualifiedCharsMax} characters in all.`,
  );
}
