/** From what was thrown to what a client is answered. */
import { cutUtf8, type ErrorCode, messageOf, YoiError } from "@yoi/base";
import type { ProtocolError, ProtocolErrorCode } from "@yoi/protocol";

/** Bytes of what is said of a failure; what a defect is introduced with comes on top. */
export const refusalBytesMax = 2 * 1024;

/** What each failure of a Pod is to a client. What the client could do nothing about is internal. */
export const codeOfFailure = {
  already_running: "already_running",
  pod_held: "already_running",
  not_running: "not_running",
  nothing_to_resume: "not_paused",
  cancelled: "closing",
  unauthorized: "unauthorized",
  protocol_unsupported: "protocol_unsupported",
  model_failed: "provider_error",
  provider_unknown: "provider_error",
  credentials_missing: "provider_error",
  sandbox_missing: "tool_error",
  web_refused: "tool_error",
  web_failed: "tool_error",
  service_failed: "tool_error",
  authority_denied: "tool_error",
  usage: "invalid_request",
  prompt_empty: "invalid_request",
  prompt_refused: "invalid_request",
  limit_exceeded: "invalid_request",
  too_often: "invalid_request",
  inbox_full: "invalid_request",
  queue_full: "invalid_request",
  submission_conflict: "invalid_request",
  approval_unknown: "invalid_request",
  out_of_scope: "invalid_request",
  pod_name_invalid: "invalid_request",
  config_invalid: "internal",
  pod_unknown: "invalid_request",
  pod_exists: "internal",
  workspace_missing: "internal",
  log_damaged: "internal",
  log_poisoned: "internal",
  log_fenced: "internal",
  blob_damaged: "internal",
  metadata_damaged: "internal",
  metadata_conflict: "internal",
  schema_newer: "internal",
  disk_full: "internal",
  permission_denied: "internal",
  io_failed: "internal",
  secret_unknown: "internal",
  secrets_damaged: "internal",
  bundle_invalid: "internal",
  feature_invalid: "internal",
  feature_unknown: "internal",
  state_conflict: "internal",
  keep_damaged: "internal",
  pod_unreachable: "internal",
  runtime_unsafe: "internal",
  scope_conflict: "invalid_request",
  loan_refused: "invalid_request",
  loan_missing: "invalid_request",
  child_unknown: "invalid_request",
  registry_damaged: "internal",
  context_full: "invalid_request",
  compaction_failed: "invalid_request",
  rewind_refused: "invalid_request",
  target_unknown: "invalid_request",
  ticket_unknown: "invalid_request",
  ticket_refused: "invalid_request",
  ticket_damaged: "internal",
  skill_unknown: "invalid_request",
} as const satisfies Record<ErrorCode, ProtocolErrorCode>;

/** Never more than a sentence: no stack, no cause. */
export function refusalOf(thrown: unknown, redact: (text: string) => string): ProtocolError {
  const message = cutUtf8(redact(messageOf(thrown)), refusalBytesMax);
  return thrown instanceof YoiError
    ? { code: codeOfFailure[thrown.code], message, cause: thrown.code }
    : { code: "internal", message: `A defect of yoi kept the Pod from doing this: ${message}` };
}
