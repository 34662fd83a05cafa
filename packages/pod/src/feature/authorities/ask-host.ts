/** AskHost: how a handle asks a port of the host, so that no handle outlives what it was granted for and no object of the host comes out of it. */
import { YoiError } from "@yoi/base";
import type { FeatureId } from "@yoi/feature";
import { heard } from "../heard.ts";
import { boundedError } from "../sinks/bounded-error.ts";

/** Throws authority_denied once the life is over; what else is thrown keeps its code, and is otherwise only a bounded sentence. */
export type AskHost = <T>(ask: () => Promise<T>) => Promise<T>;

export interface AskHostOptions {
  readonly feature: FeatureId;
  readonly redact: (text: string) => string;
  readonly life: { readonly isOver: boolean };
}

export function askHostFor({ feature, redact, life }: AskHostOptions): AskHost {
  const asked: AskHost = async (ask) => {
    if (life.isOver) {
      throw new YoiError(
        "authority_denied",
        `${feature} may do nothing any more: what was granted to it has ended.`,
      );
    }
    try {
      return await ask();
    } catch (error) {
      throw boundedError(error, "io_failed", { redact });
    }
  };
  return (ask) => heard(asked(ask));
}
