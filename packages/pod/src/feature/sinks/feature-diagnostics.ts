/** FeatureDiagnostics: what a feature, and the host about it, have to say to a person. Bounded; for the report. */
import type { DiagnosticSink, FeatureDiagnostic } from "@yoi/feature";
import { boundedText, type BoundedTextOptions } from "../../hook/said.ts";

/** Diagnostics that are kept of a feature; and as many of the host about it, so that a feature cannot crowd them out. */
export const diagnosticsMax = 64;

export class FeatureDiagnostics {
  readonly #options: BoundedTextOptions;
  readonly #kept: FeatureDiagnostic[] = [];
  #isOpen = true;
  /** What the feature is handed. */
  readonly sink: DiagnosticSink;
  /** What the host has to say about the feature. */
  readonly host: DiagnosticSink;

  constructor(options: BoundedTextOptions) {
    this.#options = options;
    this.sink = this.#sinkOf("More diagnostics of this feature were dropped.", () => this.#isOpen);
    this.host = this.#sinkOf("More diagnostics about this feature were dropped.");
  }

  /** In the order in which they were said. */
  get all(): readonly FeatureDiagnostic[] {
    return [...this.#kept];
  }

  /** The feature is not installed: what it still says is left out. */
  close(): void {
    this.#isOpen = false;
  }

  #sinkOf(dropped: string, isOpen = () => true): DiagnosticSink {
    let count = 0;
    const say = (severity: FeatureDiagnostic["severity"], message: string): void => {
      if (!isOpen() || count > diagnosticsMax) return;
      count += 1;
      this.#kept.push(
        Object.freeze(
          count > diagnosticsMax
            ? { severity: "warning", message: dropped }
            : { severity, message: boundedText(message, this.#options) },
        ),
      );
    };
    return Object.freeze({
      info: (message: string) => say("info", message),
      warning: (message: string) => say("warning", message),
      error: (message: string) => say("error", message),
    });
  }
}
