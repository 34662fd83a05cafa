/** FeatureNotifications: how one feature tells the model something, through the Pod's inbox and never past it. */
import { type Clock, escapeControls, YoiError } from "@yoi/base";
import type { AuthorityGrants, FeatureId, NotificationSink, SkippedContribution } from "@yoi/feature";
import { heard } from "../heard.ts";
import { boundedError } from "./bounded-error.ts";
import type { FeatureDiagnostics } from "./feature-diagnostics.ts";
import { RateLimit } from "./rate-limit.ts";

/** Notifications of a feature in any minute. */
export const notificationsPerMinuteMax = 32;

export interface FeatureNotificationsOptions {
  readonly feature: FeatureId;
  readonly grants: AuthorityGrants;
  /** Resolves once it is durable; its source is the feature. */
  readonly notify: (feature: FeatureId, message: string) => Promise<void>;
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
    this.sink = Object.freeze({ notifyModel: (message: string) => heard(this.#notify(message)) });
  }

  /** The feature is installed: what it says from now on is sent. */
  open(): void {
    this.#isInstalling = false;
  }

  async #notify(said: unknown): Promise<void> {
    const { feature, life, notify, redact, diagnostics } = this.#options;
    if (life.isOver) {
      throw new YoiError(
        "authority_denied",
        `${feature} can notify nobody any more: what was granted to it has ended.`,
      );
    }
    if (!this.#isGranted) {
      this.#skip("model_notification is not granted");
      throw new YoiError(
        "authority_denied",
        `${feature} may not notify the model: it was not granted model_notification.`,
      );
    }
    if (typeof said !== "string") {
      throw new YoiError("feature_invalid", `A notification of ${feature} is no text: nothing is sent.`);
    }
    if (this.#isInstalling) {
      this.#skip("a notification during the installation is not sent");
      diagnostics.host.warning("A notification was given during the installation, and is not sent.");
      return;
    }
    if (!this.#rate.take()) {
      throw new YoiError(
        "limit_exceeded",
        `${feature} has sent ${notificationsPerMinuteMax} notifications in the last minute, the most there can be: send it later, or say more with one.`,
      );
    }
    try {
      // How much that may be is for the inbox to say: what stands for a secret can be longer than the secret.
      await notify(feature, escapeControls(redact(said.toWellFormed()), "newline-tab"));
    } catch (error) {
      throw boundedError(error, "io_failed", this.#options);
    }
  }

  #skip(reason: string): void {
    if (this.#reasons.has(reason)) return;
    this.#reasons.add(reason);
    this.#options.skipped({ kind: "notification", name: "notifyModel", reason });
  }
}
