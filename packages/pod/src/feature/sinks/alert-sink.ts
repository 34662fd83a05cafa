/** FeatureAlerts: the alert sink of one feature. For people only: nothing of it enters history or reaches the model. */
import type { Clock } from "@yoi/base";
import type { AlertSink, FeatureId } from "@yoi/feature";
import type { Alert, Alerts } from "../../alert/alerts.ts";
import { boundedText } from "../../hook/said.ts";
import type { FeatureDiagnostics } from "./feature-diagnostics.ts";
import { RateLimit } from "./rate-limit.ts";

/** Alerts of a feature in any minute. */
export const alertsPerMinuteMax = 16;

export interface FeatureAlertsOptions {
  readonly feature: FeatureId;
  readonly alerts: Alerts;
  readonly diagnostics: FeatureDiagnostics;
  readonly clock: Pick<Clock, "monotonic">;
  readonly redact: (text: string) => string;
}

type Held = Pick<Alert, "level" | "message">;

export class FeatureAlerts {
  readonly #options: FeatureAlertsOptions;
  readonly #rate: RateLimit;
  /** What waits for the end of the installation; null after it. */
  #held: Held[] | null = [];
  #leftOut = 0;
  #isClosed = false;
  readonly sink: AlertSink;

  constructor(options: FeatureAlertsOptions) {
    this.#options = options;
    this.#rate = new RateLimit(options.clock, alertsPerMinuteMax);
    this.sink = Object.freeze({
      alert: (level: Alert["level"], message: string) => this.#alert(level, message),
    });
  }

  /** The feature is installed: raises what waited, and from now on at once. */
  open(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const { level, message } of held) this.#raise(level, message);
  }

  /** It is not installed: nothing that it says is raised, or kept. */
  close(): void {
    this.#isClosed = true;
  }

  #alert(level: Alert["level"], said: string): void {
    if (this.#isClosed) return;
    const { diagnostics } = this.#options;
    if (!this.#rate.take() || (this.#held ?? []).length >= alertsPerMinuteMax) {
      this.#leaveOut();
      return;
    }
    if (this.#leftOut > 0) {
      diagnostics.host.info(
        `${this.#leftOut} alerts were left out: a feature may raise ${alertsPerMinuteMax} in a minute.`,
      );
      this.#leftOut = 0;
    }
    const message = boundedText(said, this.#options);
    if (this.#held === null) this.#raise(level, message);
    else {
      this.#held.push({ level: level === "error" ? "error" : "warn", message });
      diagnostics.host.info(`An alert was given during the installation, and waits for its end: ${message}`);
    }
  }

  /** Said with the first one of many; how many they were, when it is quieter. */
  #leaveOut(): void {
    this.#leftOut += 1;
    if (this.#leftOut > 1) return;
    const message = `This feature raised more than ${alertsPerMinuteMax} alerts in a minute: more of them are left out for now.`;
    if (this.#held === null) this.#raise("warn", message);
    else this.#held.push({ level: "warn", message });
  }

  #raise(level: Alert["level"], message: string): void {
    const { alerts, feature } = this.#options;
    alerts.raise(level === "error" ? "error" : "warn", feature, message);
  }
}
