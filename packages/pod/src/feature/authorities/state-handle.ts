/** One durable value of a feature: copied on the way in and out, and bounded. */
import { YoiError } from "@yoi/base";
import type { FeatureId, FeatureStateStore } from "@yoi/feature";
import { copiedJson } from "../copied-json.ts";
import type { AskHost } from "./ask-host.ts";

/** Bytes as JSON. */
export const featureStateBytesMax = 1024 * 1024;

export function stateHandle(
  feature: FeatureId,
  name: string,
  store: FeatureStateStore,
  askHost: AskHost,
): FeatureStateStore {
  const what = `The state ${name} of ${feature}`;
  return Object.freeze({
    read: () =>
      askHost(async () => {
        const stored = await store.read();
        if (stored === null) return null;
        const { version, revision } = stored;
        const value = copiedJson(stored.value, {
          bytesMax: featureStateBytesMax,
          what,
          invalid: "keep_damaged",
        });
        return Object.freeze({ version, revision, value });
      }),
    write: (value, options) =>
      askHost(async () => {
        const copy = copiedJson(value, { bytesMax: featureStateBytesMax, what, invalid: "feature_invalid" });
        const { version, expected } = options;
        if (!isCount(version) || !(expected === null || isCount(expected))) {
          throw new YoiError(
            "feature_invalid",
            `${what} is written with a version and a revision that are whole numbers from 1; for the first write the revision is null.`,
          );
        }
        return await store.write(copy, { version, expected });
      }),
  } satisfies FeatureStateStore);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
