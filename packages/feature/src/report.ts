/** Reports: what became of each feature, for a person. Shapes as they are shown and logged; every text is bounded, and holds no known secret. */
import type { AuthorityRequest, HostAuthority } from "./authority.ts";
import type { FeatureRuntimeKind, HookDeclaration } from "./descriptor.ts";
import type { FeatureId, ServiceId } from "./source-qualified.ts";

export interface FeatureDiagnostic {
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
}

export type ContributionKind =
  | "tool"
  | "hook"
  | "background_task"
  | "service"
  | "state"
  | "notification"
  | "alert"
  | "handle";

/** Something of a feature that is not in force, and why. */
export interface SkippedContribution {
  readonly kind: ContributionKind;
  readonly name: string;
  readonly reason: string;
}

export type BackgroundTaskState = "waiting" | "running" | "finished" | "failed" | "stopped";

export interface FeatureInstallReport {
  readonly feature: FeatureId;
  readonly runtime: FeatureRuntimeKind;
  readonly display_name: string;
  readonly version: string;
  /** SHA-256 over what the descriptor contributes and asks for; null: the descriptor could not be read. */
  readonly digest: string | null;
  /** degraded: without something optional. skipped: not tried, because of what is missing. failed: not valid, or tried and all of it taken back. */
  readonly status: "installed" | "degraded" | "skipped" | "failed";
  readonly granted: readonly HostAuthority[];
  readonly denied: readonly (AuthorityRequest & { readonly denial: string })[];
  readonly tools: readonly string[];
  readonly hooks: readonly HookDeclaration[];
  readonly background_tasks: readonly { readonly name: string; readonly state: BackgroundTaskState }[];
  readonly provides_services: readonly { readonly id: ServiceId; readonly version: string }[];
  readonly uses_services: readonly { readonly id: ServiceId; readonly version: string }[];
  /** Declared and not registered, or registered and refused. */
  readonly skipped: readonly SkippedContribution[];
  readonly diagnostics: readonly FeatureDiagnostic[];
}
