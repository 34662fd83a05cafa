/** FeatureNotifications: how one feature tells the model something, through the Pod's inbox and never past it. */
import { type Clock, escapeControls, type JsonValue, YoiError } from "@yoi/base";
import type {
  AuthorityGrants,
  FeatureId,
  NotificationSink,
  SkippedContribution,
  ToldUpTo,
} from "@yoi/feature";
import { copiedJson } from "../copied-json.ts";
import { heard } from "../heard.ts";
import { boundedError } from "./bounded-error.ts";
import type { FeatureDiagnostics } from "./feature-diagnostics.ts";
import type { Notifier } from "./notifier.ts";
import { RateLimit } from "./rate-limit.ts";

/** Notifications of a feature in any minute. */
export const notificationsPerMinuteMax = 32;
/** Characters of the key of one. */
export const notificationKeyCharsMax = 96;
/** Bytes as JSON of how far a feature has told. */
export const positionBytesMax = 64 * 1024;

export interface FeatureNotificationsOptions {
  readonly feature: FeatureId;
  readonly grants: AuthorityGrants;
  readonly notifier: Notifier;
  readonly diagnostics: FeatureDiagnostics;
  /** Told once of each reason for which nothing was sent. */
  readonly skipped: (entry: SkippedContribution) => void;
  readonly clock: Pick<Clock, "monotonic">;
  readonly redact: (text: string) => string;
  readonly life: { readonly isOver: boolean };
}

export class FeatureNotifications {
  readonly #options: FeatureNotificationsOptions;
  readonly #isGranted: boolean;
  readonly #rate: RateLimit;
  readonly #reasons = new Set<string>();
  #isInstalling = true;
  readonly sink: NotificationSink;

  constructor(options: FeatureNotificationsOptions) {
    this.#options = options;
    this.#isGranted = options.grants.granted.some(({ kind }) => kind === "model_notification");
    this.#rate = new RateLimit(options.clock, notificationsPerMinuteMax);
    this.sink = Object.freeze<NotificationSink>({
      notifyModel: (message, told) => heard(this.#notify(message, told)),
      position: () => this.#position(),
      keepPosition: (position) => heard(this.#keep(position)),
    });
  }

  /** The feature is installed: what it says from now on is sent. */
  open(): void {
    this.#isInstalling = false;
  }

  async #notify(said: unknown, told: unknown): Promise<void> {
    const { feature, notifier, redact } = this.#options;
    this.#refuseUngranted();
    if (typeof said !== "string") {
      throw new YoiError("feature_invalid", `A notification of ${feature} is no text: nothing is sent.`);
    }
    const upTo = told === undefined ? null : this.#toldUpTo(told);
    // How much that may be is for the inbox to say: what stands for a secret can be longer than the secret.
    const message = escapeControls(redact(said.toWellFormed()), "newline-tab");
    await this.#send(() => notifier.notify(feature, message, upTo));
  }

  async #keep(given: unknown): Promise<void> {
    const { feature, notifier } = this.#options;
    this.#refuseUngranted();
    const position = this.#checkedPosition(given);
    await this.#send(async () => {
      await notifier.keepPosition(feature, position);
      return { duplicate: false };
    });
  }

  #position(): JsonValue | null {
    const { feature, notifier } = this.#options;
    this.#refuseUngranted();
    const position = notifier.position(feature);
    return position === null ? null : this.#checkedPosition(position);
  }

  /** What came to nothing, or was there before, does not count for the minute. */
  async #send(send: () => Promise<{ readonly duplicate: boolean }>): Promise<void> {
    const { feature, diagnostics } = this.#options;
    if (this.#isInstalling) {
      this.#skip("a notification during the installation is not sent");
      diagnostics.host.warning("A notification was given during the installation, and is not sent.");
      return;
    }
    const taken = this.#rate.take();
    if (taken === null) {
      throw new YoiError(
        "too_often",
        `${feature} has sent ${notificationsPerMinuteMax} notifications in the last minute, the most there can be: send it later, or say more with one.`,
      );
    }
    try {
      const { duplicate } = await send();
      if (duplicate) this.#rate.giveBack(taken);
    } catch (error) {
      this.#rate.giveBack(taken);
      throw boundedError(error, "io_failed", this.#options);
    }
  }

  #refuseUngranted(): void {
    const { feature, life } = this.#options;
    if (life.isOver) {
      throw new YoiError(
        "authority_denied",
        `${feature} can notify nobody any more: what was granted to it has ended.`,
      );
    }
    if (this.#isGranted) return;
    this.#skip("model_notification is not granted");
    throw new YoiError(
      "authority_denied",
      `${feature} may not notify the model: it was not granted model_notification.`,
    );
  }

  /** Each field is read once: what gives another value the next time changes nothing. */
  #toldUpTo(told: unknown): ToldUpTo {
    const { feature } = this.#options;
    const { key, position } = Object(told) as { readonly key?: unknown; readonly position?: unknown };
    if (typeof key === "string" && key !== "" && key.length <= notificationKeyCharsMax && key.isWellFormed())
      return { key, position: this.#checkedPosition(position) };
    throw new YoiError(
      "feature_invalid",
      `The key of a notification of ${feature} is to be a text of 1 to ${notificationKeyCharsMax} characters: nothing is sent.`,
    );
  }

  #checkedPosition(position: unknown): JsonValue {
    return copiedJson(position, {
      bytesMax: positionBytesMax,
      what: `The position of ${this.#options.feature}`,
      invalid: "feature_invalid",
    });
  }

  #skip(reason: string): void {
    if (this.#reasons.has(reason)) return;
    this.#reasons.add(reason);
    this.#options.skipped({ kind: "notification", name: "notifyModel", reason });
  }
}
