/** Registration: whether a module may still register, and what it did that it may not. One for each installation of a module. */
import { YoiError } from "@yoi/base";
import type { ContributionKind } from "@yoi/feature";
import { boundedText, type BoundedTextOptions } from "../../hook/said.ts";
import type { FeatureRecord } from "./feature-record.ts";

export class Registration {
  readonly #record: FeatureRecord;
  readonly #text: BoundedTextOptions;
  #isOpen = true;
  #violation: string | null = null;

  constructor(record: FeatureRecord, text: BoundedTextOptions) {
    this.#record = record;
    this.#text = text;
  }

  /** The first thing that was refused: with it the feature is not installed, also when the module caught the error. */
  get violation(): string | null {
    return this.#violation;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Throws feature_invalid when the installation is over. */
  open(what: string, does = "registers"): void {
    if (this.#isOpen) return;
    throw new YoiError(
      "feature_invalid",
      `${this.#record.shown.feature} ${does} a ${what} too late: that is done while it is installed.`,
    );
  }

  /** What a module gave or threw, for a sentence. */
  said(given: unknown): string {
    return boundedText(given, this.#text);
  }

  /** For the report: something went wrong, and everything is still in force. */
  warn(problem: string): void {
    this.#record.diagnostics.host.warning(problem);
  }

  /** To be thrown. */
  refused(kind: ContributionKind, name: unknown, reason: string): YoiError {
    this.#record.skip({ kind, name: this.said(name), reason });
    this.#violation ??= reason;
    return new YoiError("feature_invalid", reason);
  }

  /** It is not in force, and the rest goes on. */
  leaveOut(kind: ContributionKind, name: string, reason: string): void {
    this.#record.degrade({ kind, name, reason });
  }
}
