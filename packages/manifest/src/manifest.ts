/** Manifest: the resolved, serialisable contract for one Pod. Profiles, overrides and defaults are already folded in. */
import type { Budget, Scope } from "@yoi/base";
import type { CompactionTokens } from "./compaction-keys.ts";
import type { FeatureName } from "./feature-names.ts";
import type { ProfileChoice } from "./profile.ts";
import type { ModelDefinition, ProviderDefinition } from "./definitions.ts";
import type { SkillChoice } from "./skill-keys.ts";
import type { TicketChoice } from "./ticket-keys.ts";
import type { SearchProvider } from "./web-keys.ts";

export const manifestSchema = 1;

export const permissionActions = ["allow", "deny", "ask"] as const;
export type PermissionAction = (typeof permissionActions)[number];

/** From the loosest to the strictest. */
export const permissionModes = ["allow-in-scope", "ask", "deny-unlisted"] as const;
export type PermissionMode = (typeof permissionModes)[number];

export interface PermissionRule {
  /** Tool name, compared without case; `*` is any tool. */
  readonly tool: string;
  /** The argument that the pattern is for, by its name. Absent: the tool's telling one. */
  readonly argument?: string;
  /** `*` and `?` wildcards over the text of that argument. */
  readonly pattern: string;
  readonly action: PermissionAction;
  /** The file that the rule stands in. Of one origin the first rule that matches counts; between origins the strictest does. */
  readonly origin: string;
}

export interface ModelChoice {
  readonly provider: string;
  /** The provider's model id; may contain slashes. */
  readonly id: string;
  readonly base_url?: string;
  readonly context_window?: number;
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  readonly reasoning?: string;
  /** The user's own provider of that name. Absent: it is a built-in one. */
  readonly provider_definition?: ProviderDefinition;
  /** What the user says of this model. */
  readonly definition?: ModelDefinition;
}

/** What the web tools may do; null: there is no such tool. */
export interface WebChoice {
  readonly allow_private_addresses: boolean;
  readonly fetch: {
    readonly timeout_secs: number;
    readonly redirect_limit: number;
    /** Of a page, unpacked. */
    readonly max_response_bytes: number;
    readonly max_output_bytes: number;
  } | null;
  readonly search: {
    readonly provider: SearchProvider;
    /** Id of the secret that is its key. */
    readonly api_key_secret: string;
    /** Null: the provider's own. */
    readonly base_url: string | null;
    readonly timeout_secs: number;
  } | null;
}

/** What decides about a tool call. */
export interface PermissionPolicy {
  readonly mode: PermissionMode;
  readonly rules: readonly PermissionRule[];
}

/** The policy of a Pod above a child, as it was when the child was begun or opened last: the child's own can only be stricter. */
export interface PolicyAbove extends PermissionPolicy {
  /** Its name. */
  readonly pod: string;
}

/** Whether a feature is installed, and who said so: `<path>:<line>`, or `built-in`. */
export interface FeatureToggle {
  readonly enabled: boolean;
  readonly origin: string;
}

/** Text behind the host's own part of the system prompt. */
export interface Instruction {
  readonly text: string;
  /** Who it is from, for the model: `the profile user:review`. */
  readonly from: string;
}

/** When history is made shorter, and how much of it goes on. */
export interface CompactionChoice extends CompactionTokens {
  /** False: history is neither pruned nor compacted by itself; what is over `limit` is not sent all the same. */
  readonly enabled: boolean;
  /** Requests of a compactor. */
  readonly worker_max_turns: number;
  /** `provider/id` of a compactor's model; null: the Pod's own. */
  readonly model: string | null;
}

/** What of a budget was typed, at this start or an earlier one. */
export interface TypedBudget {
  readonly max_tokens?: number;
  readonly max_cost_usd?: number;
}

export interface BudgetChoice extends Budget {
  /** Kept, in the place of what files say. Absent: nothing was typed. */
  readonly typed?: TypedBudget;
}

export interface Manifest {
  readonly schema: number;
  /** Canonical absolute path. */
  readonly workspace: string;
  readonly model: ModelChoice;
  /** Where `writes` are given, narrowed to them already. */
  readonly scope: Scope;
  /** The directories outside of which the user lets it write nothing, canonical. Absent: all that its rules let it write. */
  readonly writes?: readonly string[];
  /** `above`: of a child, the policies of all Pods above it, its parent's last. Absent: it is no child. */
  readonly permissions: PermissionPolicy & { readonly above?: readonly PolicyAbove[] };
  /** `off` only ever by the user's own flag or config. */
  readonly sandbox: { readonly mode: "on" | "off"; readonly network: boolean };
  readonly limits: {
    /** Per run; null: none. */
    readonly max_turns: number | null;
    readonly tool_output_bytes: number;
    /** Most bytes of one file that an input attaches. */
    readonly file_upload_bytes: number;
  };
  /** Of the Pod and all its children, for their whole life. Absent: as much as it takes. */
  readonly budget?: BudgetChoice;
  readonly web: WebChoice;
  readonly session: { readonly record_event_trace: boolean };
  readonly compaction: CompactionChoice;
  readonly worker: { readonly language: string | null; readonly instructions: readonly Instruction[] };
  readonly features: { readonly [K in FeatureName]: FeatureToggle };
  /** Where that feature is switched on. */
  readonly tickets: TicketChoice;
  readonly skills: SkillChoice;
  /** As it was resolved when the Pod began: its file is not read again. Null: none was chosen. */
  readonly profile: ProfileChoice | null;
}
