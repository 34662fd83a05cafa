/** Notifier: where the notifications of features go, and how far each has told. There from when the Pod is open until it closes. */
import { type JsonValue, YoiError } from "@yoi/base";
import type { FeatureId, ToldUpTo } from "@yoi/feature";
import type { Inbox } from "../../inbox/inbox.ts";

export interface Notifier {
  /** Resolves once it is durable; its source is the feature. `duplicate`: it was there already. */
  notify(
    feature: FeatureId,
    message: string,
    told: ToldUpTo | null,
  ): Promise<{ readonly duplicate: boolean }>;
  /** Null: nothing is on record. Throws feature_invalid before the Pod is open. */
  position(feature: FeatureId): JsonValue | null;
  keepPosition(feature: FeatureId, position: JsonValue): Promise<void>;
}

export interface NotifierParts {
  readonly inbox: Pick<Inbox, "accept" | "acceptAt" | "keepPosition" | "position">;
  /** Of the feature that asks now: what it tells begins no run. */
  readonly isTelling: (feature: FeatureId) => boolean;
  /** Something waits that may begin a run. */
  readonly notified: () => void;
}

/** What is notified before `opened` waits for that. */
export function notifierLater(): {
  readonly notifier: Notifier;
  readonly opened: (parts: NotifierParts) => void;
  readonly closed: () => void;
} {
  const opening = Promise.withResolvers<NotifierParts>();
  opening.promise.catch(() => {});
  let open: NotifierParts | null = null;
  return {
    notifier: {
      notify: async (source, message, told) => {
        const { inbox, isTelling, notified } = await opening.promise;
        const isQuiet = isTelling(source);
        const { duplicate } =
          told === null
            ? await inbox.accept({ source, message })
            : await inbox.acceptAt({
                source,
                message,
                submission: `feature/${source}/${told.key}`,
                position: told.position,
              });
        if (!duplicate && !isQuiet) notified();
        return { duplicate };
      },
      position: (source) => {
        if (open !== null) return open.inbox.position(source);
        throw new YoiError(
          "feature_invalid",
          `How far ${source} has told can be asked when the Pod is open: in a background task, a hook or a tool.`,
        );
      },
      keepPosition: async (source, position) =>
        await (await opening.promise).inbox.keepPosition(source, position),
    },
    opened: (parts) => {
      open = parts;
      opening.resolve(parts);
    },
    closed: () =>
      opening.reject(new YoiError("cancelled", "The Pod is closed: nothing can be told to its model.")),
  };
}
