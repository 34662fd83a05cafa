/** Features as `--json` has them: one shape for all, whoever they are from. */
import type { FeatureInstallReport, FeatureRuntimeKind } from "@yoi/feature";
import type { ApprovalRecord } from "@yoi/keep";
import { type Standing, type StandingStatus, standingTexts } from "./standing.ts";

export interface FeatureJson {
  /** Null: its name gives none. */
  readonly id: string | null;
  readonly name: string;
  readonly source: "builtin" | "project" | "user" | "package";
  readonly path: string | null;
  readonly runtime: FeatureRuntimeKind;
  readonly version: string | null;
  readonly digest: string | null;
  readonly file_count: number | null;
  readonly bytes: number | null;
  readonly status: FeatureInstallReport["status"] | StandingStatus;
  /** For people. */
  readonly status_text: string;
  readonly problem: string | null;
  readonly approval: Pick<ApprovalRecord, "digest" | "decided_at" | "granted"> | null;
  readonly report: FeatureInstallReport | null;
}

export function builtInJson(report: FeatureInstallReport): FeatureJson {
  return {
    id: report.feature,
    name: report.display_name,
    source: "builtin",
    path: null,
    runtime: report.runtime,
    version: report.version,
    digest: report.digest,
    file_count: null,
    bytes: null,
    status: report.status,
    status_text: report.status,
    problem: null,
    approval: null,
    report,
  };
}

export function standingJson({ found, status, content, problem, approval }: Standing): FeatureJson {
  return {
    id: found.id,
    name: found.name,
    source: found.source,
    path: found.path,
    runtime: "external_plugin",
    version: found.version,
    digest: content?.digest ?? null,
    file_count: content?.files.length ?? null,
    bytes: content?.bytes ?? null,
    status,
    status_text: standingTexts[status],
    problem,
    approval: approval === null ? null : approvalJson(approval),
    report: null,
  };
}

function approvalJson({ digest, decided_at, granted }: ApprovalRecord): FeatureJson["approval"] {
  return { digest, decided_at, granted };
}
