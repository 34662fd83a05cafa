/** The contract for extensions. No behaviour: shapes, names and what each promises. */
export type { AppendReceipt, SystemItemAppendHandle } from "./append-handle.ts";
export type { AuthorityGrants, AuthorityRequest, HostAuthority } from "./authority.ts";
export { authorityKinds } from "./authority.ts";
export type {
  BackgroundTaskDeclaration,
  FeatureDescriptor,
  FeatureRuntimeKind,
  HookDeclaration,
  ToolDeclaration,
} from "./descriptor.ts";
export { featureRuntimeKinds } from "./descriptor.ts";
export type {
  FeatureFetch,
  FeatureFiles,
  FeatureHandles,
  FeatureResponse,
  FeatureSecret,
  FeatureStateStore,
  StoredState,
} from "./handle.ts";
export type {
  Hook,
  HookActions,
  HookContexts,
  HookPoint,
  OnAbortAction,
  OnAbortContext,
  OnPromptSubmitAction,
  OnPromptSubmitContext,
  OnTurnEndAction,
  OnTurnEndContext,
  PostToolCallAction,
  PostToolCallContext,
  PreLlmRequestAction,
  PreLlmRequestContext,
  PreToolCallAction,
  PreToolCallContext,
} from "./hook.ts";
export { hookPoints } from "./hook.ts";
export type {
  AlertSink,
  BackgroundTaskRegistrar,
  DiagnosticSink,
  FeatureInstallContext,
  FeatureModule,
  HookRegistrar,
  NotificationSink,
  ServiceRegistrar,
  ToldUpTo,
  ToolContribution,
  ToolRegistrar,
} from "./module.ts";
export type {
  ChildReached,
  ManagedPod,
  ManagedPodState,
  ManagementCall,
  OutputCursor,
  PodManagement,
  PodOutput,
  PodRestored,
  PodStopped,
  SpawnRequest,
} from "./pod-management.ts";
export {
  childInstructionBytesMax,
  childMessageBytesMax,
  lentRulesMax,
  peerMessageBytesMax,
  podOutputBytesMax,
  podsListedMax,
} from "./pod-management.ts";
export type {
  BackgroundTaskState,
  ContributionKind,
  FeatureDiagnostic,
  FeatureInstallReport,
  SkippedContribution,
} from "./report.ts";
export type {
  ServiceClient,
  ServiceDeclaration,
  ServiceImplementation,
  ServiceRequirement,
} from "./service.ts";
export type { FeatureId, FeatureSource, ServiceId } from "./source-qualified.ts";
export {
  featureId,
  featureSources,
  serviceId,
  sourceOf,
  sourceQualifiedCharsMax,
} from "./source-qualified.ts";
export type { FeatureState, StateDeclaration, StateSnapshot, ToolRecord } from "./state.ts";
export { describedBytesMax } from "./state.ts";
export { toolContribution } from "./tool-contribution.ts";
