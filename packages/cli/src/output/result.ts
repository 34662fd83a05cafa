/** The result of a run as its one JSON object, and as what a person reads. */
import { budgetSentence, type JsonObject, type Spent } from "@yoi/base";
import type { RunFailure } from "@yoi/worker";
import { isoTime, type PodSnapshot, type RunReport } from "@yoi/pod";
import { costFields } from "./cost.ts";
import { resultSchemaVersion } from "./error-object.ts";
import { treeUsageJson } from "./tree-usage.ts";

/** The closed set of ways a run ends, for scripts. */
export type ResultSubtype =
  | "success"
  | "permission_needed"
  | "limit_turns"
  | "limit_time"
  | "limit_budget"
  | "paused"
  | "interrupted"
  | "aborted"
  | "model_failed"
  | "error";

export function subtypeOf(report: RunReport): ResultSubtype {
  switch (report.outcome.kind) {
    case "finished":
      return report.permissionNeeded ? "permission_needed" : "success";
    case "limit_reached":
      return `limit_${report.outcome.limit}`;
    case "paused":
      return report.outcome.reason === "user" ? "interrupted" : "paused";
    case "yielded":
      return "paused";
    case "cancelled":
    case "rolled_back":
      return "interrupted";
    case "aborted":
      return "aborted";
    case "failed":
      return "model_failed";
  }
}

/** The provider has read what it was asked, and takes it at no time. */
function isRefusedAgain({ kind, status }: RunFailure): boolean {
  return kind === "context_overflow" || (kind === "invalid_request" && status !== undefined);
}

/** One sentence for stderr: why the run did not simply finish, and what to do; null when it did. */
export function explainOutcome(report: RunReport, pod: string): string | null {
  if (!report.accepted)
    return "The run was stopped before it began: nothing was sent, and nothing of it is kept; give the same command again.";
  return explainEnding(report, pod);
}

/** One line for stderr about each notification run that followed the one that was asked for; all of it is in the log. */
export function explainFollowed({ followed }: RunReport, pod: string): readonly string[] {
  return followed.map((outcome) => {
    if (outcome.kind === "finished")
      return `A notification came meanwhile, and the model answered it: \`yoi pod log ${pod}\` shows what it said.`;
    const ending = explainEnding({ outcome, permissionNeeded: false, denials: [] }, pod);
    return `A notification came meanwhile, and the run that took it in did not finish. ${ending ?? ""}`;
  });
}

function explainEnding(
  report: Pick<RunReport, "outcome" | "permissionNeeded" | "denials">,
  pod: string,
): string | null {
  const goOn = `\`yoi run --pod ${pod}\` goes on with it.`;
  const stopped = `The run was stopped; everything up to here is in the log: ${goOn}`;
  const otherwise = `Asked the same again it refuses again: \`yoi run --pod ${pod} -m PROVIDER/MODEL\` goes on with another model, and \`yoi run "..."\` begins a new Pod.`;
  const { outcome } = report;
  switch (outcome.kind) {
    case "finished": {
      if (!report.permissionNeeded) return null;
      const asked = report.denials.filter((denial) => denial.kind === "asked");
      const calls = asked.map((d) => `${d.tool}: ${d.target.slice(0, 80)}: ${d.reason}`).join(" ");
      // Between files the strictest rule stands: no other file can allow what a rule asks for. A mode yields to any rule.
      return `The run ended without a permission that it needed. ${calls} Change that rule where it stands (for a mode, add an allow rule to [permissions] of your config.toml) and give the Pod a new prompt: \`yoi run --pod ${pod} "..."\`.`;
    }
    case "limit_reached":
      return explainLimit(outcome, goOn);
    case "paused":
      if (outcome.reason === "user") return stopped;
      return `The run is paused (${outcome.detail})${outcome.until === undefined ? "" : ` until ${isoTime(outcome.until)}`}: ${goOn}`;
    case "yielded":
      return `The run is paused (${outcome.reason}): ${goOn}`;
    case "cancelled":
      return stopped;
    case "rolled_back":
      return "The run was stopped before the model began to answer: its input was taken back; give it again when it is still wanted.";
    case "aborted":
      return `The run was aborted: ${outcome.reason}`;
    case "failed":
      // It says what can be done.
      if (outcome.failure.kind === "context_full") return outcome.failure.message;
      return `${outcome.failure.message} ${isRefusedAgain(outcome.failure) ? otherwise : capitalise(goOn)}`;
  }
}

function explainLimit(
  outcome: Extract<RunReport["outcome"], { kind: "limit_reached" }>,
  goOn: string,
): string {
  switch (outcome.limit) {
    case "turns":
      return `The run stopped at its limit of ${outcome.max} turn${outcome.max === 1 ? "" : "s"}: ${goOn}`;
    case "time":
      return `The run stopped at its time limit of ${outcome.maxMs / 1000} s; everything up to here is in the log: ${goOn}`;
    case "budget":
      return `The run stopped, because ${budgetSentence(outcome)}. Everything up to here is in the log: with more, ${goOn}`;
  }
}

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export interface ResultInput {
  readonly report: RunReport;
  readonly snapshot: Pick<PodSnapshot, "name"> & { readonly session: string; readonly segment: string };
  readonly durationMs: number;
  /** In its whole life, with all below it. Null: not known. */
  readonly tree: Spent | null;
}

/** Why it is not a success, for scripts: what the provider did, why it paused, or the subtype again. */
export function errorCodeOf(report: RunReport): string | null {
  const subtype = subtypeOf(report);
  const { outcome } = report;
  if (outcome.kind === "failed") return outcome.failure.kind;
  if (outcome.kind === "paused" && outcome.reason !== "user") return outcome.reason;
  return subtype === "success" ? null : subtype;
}

export function resultObject({ report, snapshot, durationMs, tree }: ResultInput): JsonObject {
  const subtype = subtypeOf(report);
  const { outcome } = report;
  return {
    type: "result",
    schema_version: resultSchemaVersion,
    subtype,
    is_error: subtype !== "success",
    result: outcome.kind === "finished" ? outcome.text : null,
    error: subtype === "success" ? null : explainOutcome(report, snapshot.name),
    error_code: errorCodeOf(report),
    pod: snapshot.name,
    session_id: snapshot.session,
    segment_id: snapshot.segment,
    num_turns: report.turns,
    followed_runs: report.followed.length,
    duration_ms: Math.round(durationMs),
    usage: { ...report.usage },
    ...costFields(report.cost),
    tree: treeUsageJson(tree),
    permission_denials: report.denials.map((d) => ({
      call: d.call,
      tool: d.tool,
      target: d.target,
      reason: d.reason,
      kind: d.kind,
    })),
    ...(outcome.kind === "paused" && outcome.until !== undefined ? { resume_after_ms: outcome.until } : {}),
  };
}
