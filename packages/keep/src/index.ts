/** The only writer of what belongs to the user. */
export type { ApprovalDecision, ApprovalRecord } from "./approval-record.ts";
export { approvalFileBytesMax, grantsBytesMax, grantsMax, subjectBytesMax } from "./approval-record.ts";
export type { ApprovalStore, ApprovalStoreOptions } from "./approvals.ts";
export { approvalsMax, createApprovalStore } from "./approvals.ts";
export type { FeatureStateOptions, KeptState, KeptStateStore } from "./feature-state.ts";
export {
  createFeatureStateStore,
  revisionFileBytesMax,
  revisionsKnownMax,
  stateBytesMax,
} from "./feature-state.ts";
export type { GrantRecord, GrantState } from "./grant-record.ts";
export { grantAboutCharsMax, grantFileBytesMax, grantRuleCharsMax } from "./grant-record.ts";
export type { GrantStore, GrantStoreOptions, KeptGrants } from "./grants.ts";
export { createGrantStore, grantsKeptMax } from "./grants.ts";
export { idCharsMax } from "./file-name.ts";
export type { InputHistory, InputHistoryOptions } from "./input-history.ts";
export {
  createInputHistory,
  historyEntriesMax,
  historyFileBytesMax,
  historySlackEntries,
  historyTextBytesMax,
} from "./input-history.ts";
export type { InspectPath, Keychain, PathProtection, SecureBytes } from "./ports.ts";
export type {
  KeychainOpening,
  SecretEntry,
  SecretProtection,
  SecretStore,
  SecretStoreOptions,
  SetSecret,
} from "./secrets.ts";
export { createSecretStore, secretBytesMax, secretFileBytesMax, secretsMax } from "./secrets.ts";
export { checkSecretId, secretIdBytesMax } from "./secret-id.ts";
export {
  differentCharactersMin,
  fragmentLengthMin,
  redactedLengthMin,
  whyNotSought,
} from "./secret-forms.ts";
export type { ByteStream, KnownSecret, KnownSecrets, TextStream } from "./known-secrets.ts";
export { createKnownSecrets } from "./known-secrets.ts";
export { createRedactor, type Redactor } from "./redactor.ts";
