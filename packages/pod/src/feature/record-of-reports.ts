/** What became of the features of a process, as the log keeps it: bounded, whatever features there are and whatever they say. */
import { type JsonValue, utf8Length } from "@yoi/base";
import type { FeatureInstallReport } from "@yoi/feature";

/** UTF-8 bytes of the whole as JSON. */
export const recordBytesMax = 64 * 1024;
/** Reasons of one feature. */
export const recordReasonsMax = 8;

/** Takes what there is room for. */
type Fits = (value: unknown) => boolean;

/**
 * A line for each feature, in their order: who it is, what became of it, what was granted and why it is not all in force; `granted_more` and
 * `reasons_more` count what had no room. At the end `{more}`, where whole lines had none. The same features with the same grants that say the
 * same give the same record: nothing of it changes while they run.
 */
export function recordOfReports(reports: readonly FeatureInstallReport[]): JsonValue {
  let left = recordBytesMax - bytesOf([{ more: reports.length }]);
  const fits: Fits = (value) => {
    // And the comma.
    const bytes = bytesOf(value) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  // Who they all are comes before what else there is to say of any.
  const lines = whileTrue(
    reports.map((report) => new Line(report)),
    (line) => fits(line.json()),
  );
  for (const line of lines) line.grant(fits);
  for (let nth = 0; nth < recordReasonsMax; nth += 1) for (const line of lines) line.reason(nth, fits);
  const more = reports.length - lines.length;
  return [...lines.map((line) => line.json()), ...(more > 0 ? [{ more }] : [])];
}

/** One feature in the record: at first without grants and reasons, and never longer for one than the one has bytes. */
class Line {
  readonly #report: FeatureInstallReport;
  readonly #reasons: readonly string[];
  #granted: FeatureInstallReport["granted"] = [];
  readonly #said: string[] = [];

  constructor(report: FeatureInstallReport) {
    this.#report = report;
    this.#reasons = reasonsOf(report);
  }

  grant(fits: Fits): void {
    this.#granted = whileTrue(this.#report.granted, fits);
  }

  reason(nth: number, fits: Fits): void {
    const reason = this.#reasons[nth];
    if (reason !== undefined && this.#said.length === nth && fits(reason)) this.#said.push(reason);
  }

  json(): JsonValue {
    const { feature, version, digest, status, granted } = this.#report;
    const line = {
      feature,
      version,
      digest,
      status,
      granted: this.#granted,
      granted_more: granted.length - this.#granted.length,
      reasons: this.#said,
      reasons_more: this.#reasons.length - this.#said.length,
    };
    return JSON.parse(JSON.stringify(line)) as JsonValue;
  }
}

/** What was said last of a feature that is out is why; then what of it is not in force, and what else there is to know. Each once. */
function reasonsOf({ skipped, diagnostics }: FeatureInstallReport): readonly string[] {
  const known = new Set(skipped.map(({ reason }) => reason));
  const said = (severity: "error" | "warning") =>
    diagnostics.flatMap((each) =>
      each.severity === severity && !known.has(each.message) ? [each.message] : [],
    );
  const errors = said("error");
  const left = skipped.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`);
  return [...new Set([...errors.slice(-1), ...left, ...errors, ...said("warning")])];
}

/** The first ones. */
function whileTrue<T>(all: readonly T[], test: (each: T) => boolean): readonly T[] {
  const end = all.findIndex((each) => !test(each));
  return end === -1 ? all : all.slice(0, end);
}

function bytesOf(value: unknown): number {
  return utf8Length(JSON.stringify(value));
}
