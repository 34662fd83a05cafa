/** AboutFeature: what the host has to say about one feature while it is in force: all of it into the report, and to people as much as they can read. */
import type { Clock } from "@yoi/base";
import type { FeatureId } from "@yoi/feature";
import type { Alert, Alerts } from "../../alert/alerts.ts";
import { alertsPerMinuteMax } from "./alert-sink.ts";
import type { FeatureDiagnostics } from "./feature-diagnostics.ts";
import { RateLimit } from "./rate-limit.ts";

export interface AboutFeatureOptions {
  readonly feature: FeatureId;
  readonly alerts: Pick<Alerts, "raise">;
  readonly diagnostics: FeatureDiagnostics;
  readonly clock: Pick<Clock, "monotonic">;
}

export class AboutFeature {
  readonly #options: AboutFeatureOptions;
  readonly #rate: RateLimit;
  #isLeftOut = false;

  constructor(options: AboutFeatureOptions) {
    this.#options = options;
    this.#rate = new RateLimit(options.clock, alertsPerMinuteMax);
  }

  /** `problem` is a sentence that may be shown. Alerts over the limit are left out, which is said with the first of them. */
  say(level: Alert["level"], problem: string): void {
    const { feature, alerts, diagnostics } = this.#options;
    if (level === "error") diagnostics.host.error(problem);
    else diagnostics.host.warning(problem);
    if (this.#rate.take()) {
      this.#isLeftOut = false;
      alerts.raise(level, feature, problem);
    } else if (!this.#isLeftOut) {
      this.#isLeftOut = true;
      alerts.raise(
        "warn",
        feature,
        `There is more about this feature than ${alertsPerMinuteMax} alerts in a minute: see its report.`,
      );
    }
  }
}
