/** Exit codes: a contract that scripts depend on. */
import type { ErrorCode } from "@yoi/base";
import type { RunReport } from "@yoi/pod";
import { passesByItself } from "@yoi/session-store";

export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  credentials: 4,
  /** Only of a run: its turns, its time, or a budget. */
  limit: 5,
  permission: 6,
  /** EX_TEMPFAIL: paused on a provider limit, or without a network. */
  pausedOnLimit: 75,
  interrupted: 130,
  terminated: 143,
  /** Of `yoi attach`: the Pod could not be reached. */
  attachFailed: 255,
} as const;

const codeOfError: Partial<Record<ErrorCode, number>> = {
  usage: exitCode.usage,
  prompt_empty: exitCode.usage,
  nothing_to_resume: exitCode.usage,
  pod_name_invalid: exitCode.usage,
  workspace_missing: exitCode.usage,
  submission_conflict: exitCode.usage,
  approval_unknown: exitCode.usage,
  config_invalid: exitCode.configuration,
  provider_unknown: exitCode.configuration,
  sandbox_missing: exitCode.configuration,
  schema_newer: exitCode.configuration,
  keep_damaged: exitCode.configuration,
  feature_invalid: exitCode.configuration,
  feature_unknown: exitCode.configuration,
  runtime_unsafe: exitCode.configuration,
  protocol_unsupported: exitCode.configuration,
  credentials_missing: exitCode.credentials,
  secret_unknown: exitCode.credentials,
  secrets_damaged: exitCode.credentials,
  unauthorized: exitCode.credentials,
  cancelled: exitCode.interrupted,
};

export function exitCodeOfError(code: ErrorCode): number {
  return codeOfError[code] ?? exitCode.failed;
}

/** `signal`: the one that stopped the run, if one did. */
export function exitCodeOfRun(report: RunReport, signal: "SIGINT" | "SIGTERM" | null): number {
  const { outcome } = report;
  const stopped = signal === "SIGTERM" ? exitCode.terminated : exitCode.interrupted;
  switch (outcome.kind) {
    case "finished":
      return report.permissionNeeded ? exitCode.permission : exitCode.done;
    case "limit_reached":
      return exitCode.limit;
    case "cancelled":
    case "rolled_back":
      return stopped;
    case "paused":
      if (outcome.reason === "user") return stopped;
      return passesByItself(outcome.reason) ? exitCode.pausedOnLimit : exitCode.failed;
    case "failed":
      return outcome.failure.kind === "auth" ? exitCode.credentials : exitCode.failed;
    case "aborted":
    case "yielded":
      return exitCode.failed;
  }
}
