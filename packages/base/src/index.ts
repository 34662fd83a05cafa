/** The nouns every part of yoi shares. */
export type {
  AssistantItemEntry,
  AssistantPartial,
  ChildCursor,
  Compacted,
  CompactionBegun,
  CompactionTrigger,
  ConfigChanged,
  Entry,
  EntryBody,
  EntryKind,
  FinishReason,
  InboxAccepted,
  Invoke,
  InvokeTrigger,
  LlmRequest,
  LlmUsage,
  LogEntry,
  OpaqueEntry,
  Opened,
  PauseReason,
  Projection,
  ProjectionChanged,
  Quarantined,
  QuarantinedPart,
  RequestConfig,
  RunCompleted,
  RunErrored,
  RunPaused,
  SegmentReady,
  SystemItemEntry,
  ToolResultEntry,
  ToolStarted,
  ToolsChanged,
  TurnEnd,
  TurnRolledBack,
  UserInput,
  WireRecord,
} from "./entry.ts";
export { notExecuted, outcomeUnknown } from "./closed-call.ts";
export { continuedLogSchema, isKnown, itemOf, logSchema, noProjection } from "./entry.ts";
export type {
  AllowedBy,
  ApprovalAnswered,
  ApprovalAsked,
  KeptAnswer,
  KeptOnAnswer,
  ScopeWish,
} from "./approval.ts";
export type { InputQueued, InputUnqueued, QueueTime, UserCommand } from "./user-asks.ts";
export { queueTimes } from "./user-asks.ts";
export type { Panel, PanelMark, PanelRow } from "./panel.ts";
export { panelMarks, panelRowsMax, panelTextCharsMax } from "./panel.ts";
export type {
  BytesOfTokens,
  Calibration,
  Carried,
  KnownSubmission,
  PromptDocument,
  SegmentOrigin,
  SegmentStart,
} from "./segment-start.ts";
export type { Cost, Price, TokenRates } from "./cost.ts";
export type { Budget, BudgetKey, BudgetReached } from "./budget.ts";
export {
  budgetKeys,
  budgetLeft,
  budgetReached,
  budgetSentence,
  isLimited,
  lowerBudget,
  noBudget,
  usedOf,
} from "./budget.ts";
export { addRequestCost, costOf, dollars, noCost, subtractCost } from "./cost.ts";
export type { ErrorCode, ErrorKind, ErrorPlace } from "./errors.ts";
export { isErrorCode, messageOf, YoiError } from "./errors.ts";
export type { CallId, PodName, SegmentId, SessionId } from "./ids.ts";
export { callId, entryId, isPodName, isUuidV7, podName, segmentId, sessionId } from "./ids.ts";
export { inParallel } from "./in-parallel.ts";
export type { FileRefPart, InputPart, SkillRefPart, TextPart } from "./input-part.ts";
export { fileRefText, unquoted } from "./file-ref.ts";
export { flattenInput, partText } from "./input-part.ts";
export { orStopped, stopped } from "./or-stopped.ts";
export { joinTexts, parsePrompt } from "./parse-prompt.ts";
export type { SkillText } from "./skill-item.ts";
export { skillItem } from "./skill-item.ts";
export { skillLine } from "./skill-line.ts";
export { isSkillName, openingSkill, skillNameCharsMax } from "./skill-ref.ts";
export type { KeyConfig, ScreenMode, TerminalSettings, ThemeChoice } from "./terminal-settings.ts";
export { defaultTerminalSettings, screenModes, themeChoices } from "./terminal-settings.ts";
export { ageText } from "./age-text.ts";
export { nearest } from "./suggest.ts";
export type {
  AssistantItem,
  AssistantMessage,
  CommittedItem,
  Image,
  ImageType,
  Item,
  ItemStatus,
  ProviderData,
  Reasoning,
  Refusal,
  ToolCall,
  ToolResult,
  UserMessage,
} from "./item.ts";
export { idOf, imageTypes } from "./item.ts";
export type { JsonObject, JsonPrimitive, JsonValue } from "./json.ts";
export { canonicalJson, deepFreeze, isDepthWithin, isJsonObject, jsonDepthMax } from "./json.ts";
export type { Clock, Ids, Random, SocketAddress, SocketFiles, SocketPlace, Timers } from "./ports.ts";
export type { ProviderKind } from "./provider-kind.ts";
export { providerKinds } from "./provider-kind.ts";
export type { Loan, Scope, ScopePermission, ScopeRule } from "./scope.ts";
export type { Spent } from "./spent.ts";
export { addEstimate, addSpent, isUncounted, noSpent } from "./spent.ts";
export type { SystemItem, SystemItemKind } from "./system-item.ts";
export { cutUtf8, escapeControls, utf8Length } from "./text.ts";
export type { Claim, Tool, ToolContext, ToolDefinition, ToolOutput } from "./tool.ts";
export { toolNamePattern } from "./tool.ts";
export type { Usage } from "./usage.ts";
export { addUsage, noUsage, subtractUsage } from "./usage.ts";
export type { MeasuredContext, PartialBlock, UnansweredCall } from "./open-work.ts";
export { bytesPerTokenMax } from "./open-work.ts";
export { frontMatterBounds, whyYamlBeyond, type YamlBounds } from "./yaml-bounds.ts";
