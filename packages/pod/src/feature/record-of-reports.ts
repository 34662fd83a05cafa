/** What became of the features of a process, as the log keeps it. */
import type { JsonValue } from "@yoi/base";
import type { FeatureInstallReport } from "@yoi/feature";

/** Without what changes while they run: the same features with the same grants give the same record. */
export function recordOfReports(reports: readonly FeatureInstallReport[]): JsonValue {
  const record = reports.map((report) => ({
    feature: report.feature,
    version: report.version,
    digest: report.digest,
    status: report.status,
    granted: report.granted,
    skipped: report.skipped,
    diagnostics: report.diagnostics,
  }));
  return JSON.parse(JSON.stringify(record)) as JsonValue;
}
