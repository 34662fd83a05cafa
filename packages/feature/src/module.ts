/** FeatureModule: a feature as code. What it can reach is what `install` is handed, and nothing else. */
import type { JsonValue, Tool } from "@yoi/base";
import type { AuthorityGrants, HostAuthority } from "./authority.ts";
import type { FeatureDescriptor } from "./descriptor.ts";
import type { FeatureHandles } from "./handle.ts";
import type { Hook } from "./hook.ts";
import type { ServiceClient, ServiceImplementation } from "./service.ts";
import type { FeatureId, ServiceId } from "./source-qualified.ts";
import type { FeatureState } from "./state.ts";

export interface ToolContribution {
  readonly name: string;
  /** Called exactly once. What it gives is what the model is told and what runs. */
  readonly create: () => Tool;
  /** Without one of these the tool is not installed, and the report says why. Absent: none. */
  readonly requires?: readonly HostAuthority[];
}

/** Each throws a YoiError (feature_invalid) for what the descriptor does not declare; the feature is then not installed. */
export interface ToolRegistrar {
  register(contribution: ToolContribution): void;
}
export interface HookRegistrar {
  onPromptSubmit(name: string, hook: Hook<"on_prompt_submit">): void;
  preLlmRequest(name: string, hook: Hook<"pre_llm_request">): void;
  preToolCall(name: string, hook: Hook<"pre_tool_call">): void;
  postToolCall(name: string, hook: Hook<"post_tool_call">): void;
  onTurnEnd(name: string, hook: Hook<"on_turn_end">): void;
  onAbort(name: string, hook: Hook<"on_abort">): void;
}
export interface BackgroundTaskRegistrar {
  /** `run` is called once, when the Pod is ready; when `signal` aborts it has 2 s to settle. A failure is reported, and nothing restarts it. */
  register(name: string, run: (context: { readonly signal: AbortSignal }) => Promise<void>): void;
}
export interface ServiceRegistrar {
  provide(id: ServiceId, version: string, implementation: ServiceImplementation): void;
  /** Null: an optional requirement that nobody meets. Throws feature_invalid for what the descriptor does not require. */
  require(id: ServiceId): ServiceClient | null;
}

/** What the model is to be told when it is asked next. Needs `model_notification`; during install, and without the grant, it is skipped with a diagnostic. */
export interface NotificationSink {
  /**
   * At most 16 KiB, and 32 a minute. Resolves once it is durable; throws inbox_full and too_often (both mend with time), limit_exceeded, or authority_denied
   * without the grant: then nothing of it is there. With `told` it is on record together with how far the feature has told from then on, and only once under its key: a repeat keeps its position
   * alone.
   */
  notifyModel(message: string, told?: ToldUpTo): Promise<void>;
  /** How far the feature has told, frozen: also what an earlier process told, and before the session was compacted or went back. Null: nothing is on record. */
  position(): JsonValue | null;
  /** Puts it on record without telling anything. Throws as `notifyModel`, and counts as one. */
  keepPosition(position: JsonValue): Promise<void>;
}
export interface ToldUpTo {
  /** 1 to 96 characters; nothing but the feature gives it a meaning. */
  readonly key: string;
  /** At most 64 KiB as JSON; nothing but the feature gives it a meaning. */
  readonly position: JsonValue;
}
/** For people: at most 512 characters, and 16 a minute; never seen by the model. What is said during install is raised after it. */
export interface AlertSink {
  alert(level: "warn" | "error", message: string): void;
}
/** Into the feature's report: at most 512 characters, and 64 of them. */
export interface DiagnosticSink {
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
}

/** Deeply frozen. Registrars close when `install` returns: a later use throws. */
export interface FeatureInstallContext {
  readonly featureId: FeatureId;
  readonly grants: AuthorityGrants;
  readonly handles: FeatureHandles;
  readonly tools: ToolRegistrar;
  readonly hooks: HookRegistrar;
  readonly backgroundTasks: BackgroundTaskRegistrar;
  readonly services: ServiceRegistrar;
  readonly notifications: NotificationSink;
  readonly alerts: AlertSink;
  readonly diagnostics: DiagnosticSink;
}

export interface FeatureModule {
  /** Read once, before anything is installed. */
  readonly descriptor: FeatureDescriptor;
  /** Present exactly where the descriptor declares a state. */
  readonly state?: FeatureState;
  /** A throw takes back all that was registered. Bounded in time. */
  install(context: FeatureInstallContext): void | Promise<void>;
}
