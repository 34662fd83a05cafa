/** Alerts: what a person should know now. Never history, never shown to the model; the last ones are kept for whoever looks later. */
import { type Clock, cutUtf8 } from "@yoi/base";

export interface Alert {
  readonly level: "warn" | "error";
  /** `host`, `worker`, a feature's id, or the name of a tool that no feature brought. */
  readonly source: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Alerts that are kept; the oldest goes first. */
export const alertsMax = 512;
/** Bytes of an alert's message. */
export const alertBytesMax = 2 * 1024;

export interface AlertsOptions {
  readonly clock: Pick<Clock, "now">;
  /** Told of each. Must not throw. */
  readonly told: (alert: Alert) => void;
}

export class Alerts {
  readonly #options: AlertsOptions;
  readonly #last: Alert[] = [];

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  raise(level: Alert["level"], source: string, message: string): void {
    const at = this.#options.clock.now();
    const alert = Object.freeze({ level, source, message: cutUtf8(message, alertBytesMax), at });
    this.#last.push(alert);
    if (this.#last.length > alertsMax) this.#last.shift();
    this.#options.told(alert);
  }

  /** The last ones, oldest first. */
  get last(): readonly Alert[] {
    return [...this.#last];
  }
}
