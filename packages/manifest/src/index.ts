/** Profiles, overrides and defaults resolved into one serialisable contract for a Pod. */
export {
  askedAs,
  askingKeys,
  boundedBy,
  boundedByAll,
  isLooser,
  type PodAbove,
  policiesBelow,
} from "./bounded-by.ts";
export type { CallTarget } from "./call-target.ts";
export { argumentOf, targetOf, tellingArgumentOf } from "./call-target.ts";
export type { CompactionTokens, CompactionTokensKey } from "./compaction-keys.ts";
export type { SettingKey, Settings } from "./config-keys.ts";
export { configKeys, fileUploadBytesDefault, fileUploadBytesMax, toolOutputBytesMax } from "./config-keys.ts";
export type { ConfigLayer, ConfigReading, ConfigSource } from "./config-layer.ts";
export { labelCharsMax, priceMax } from "./definition-lists.ts";
export type { ModelDefinition, ProviderDefinition } from "./definitions.ts";
export { listElementsMax } from "./list-elements.ts";
export { languageCharsMax } from "./config-values.ts";
export { builtIn } from "./layered.ts";
export type { FeatureName } from "./feature-names.ts";
export { featureNames } from "./feature-names.ts";
export type { Directories } from "./directories.ts";
export { directories } from "./directories.ts";
export { costUsdMax } from "./budget-keys.ts";
export type {
  BudgetChoice,
  CompactionChoice,
  FeatureToggle,
  Instruction,
  Manifest,
  ModelChoice,
  PermissionAction,
  PermissionMode,
  PermissionPolicy,
  PermissionRule,
  PolicyAbove,
  WebChoice,
  TypedBudget,
} from "./manifest.ts";
export { manifestSchema, permissionModes } from "./manifest.ts";
export type { ModelRef } from "./model-ref.ts";
export { modelRefCharsMax, parseModelRef, providerNameCharsMax } from "./model-ref.ts";
export { bytesMaxOf, checkConfig, configBytesMax, configProblemsMax, parseConfig } from "./parse-config.ts";
export type { ProfileChoice, ProfileSource } from "./profile.ts";
export {
  descriptionCharsMax,
  instructionBytesMax,
  isProfileName,
  parseProfileSelector,
  profileBytesMax,
  profileDepthMax,
  profileNameCharsMax,
} from "./profile.ts";
export type { ConfigLayers, FlagLayer, ResolvedManifest } from "./resolve-input.ts";
export { compactionDefault } from "./resolve-compaction.ts";
export { serverProvider } from "./resolve-model.ts";
export { narrowedBy } from "./resolve-scope.ts";
export { resolveTerminal } from "./resolve-terminal.ts";
export { resolveManifest, stricterMode } from "./resolve.ts";
export { manifestToJson, parseManifest } from "./stored-manifest.ts";
export type { SkillChoice } from "./skill-keys.ts";
export type { TicketChoice, TicketPodRole } from "./ticket-keys.ts";
export { mayGiveRole, ticketPodRoles } from "./ticket-keys.ts";
export type { Piece } from "./wildcard.ts";
export { matchesPattern, patternCharsMax, Wildcard } from "./wildcard.ts";
