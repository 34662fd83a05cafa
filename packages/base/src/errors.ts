/** The closed family of operational failures. Bugs are plain assertion errors and are never one of these. */

/** refused: the caller may not or asked wrongly. unavailable: something outside failed. corrupt: stored bytes are wrong. */
export type ErrorKind = "refused" | "unavailable" | "corrupt" | "cancelled";

const kinds = {
  usage: "refused",
  config_invalid: "refused",
  pod_name_invalid: "refused",
  pod_unknown: "refused",
  pod_exists: "refused",
  pod_held: "refused",
  provider_unknown: "refused",
  credentials_missing: "refused",
  workspace_missing: "refused",
  prompt_empty: "refused",
  nothing_to_resume: "refused",
  out_of_scope: "refused",
  sandbox_missing: "unavailable",
  log_damaged: "corrupt",
  log_poisoned: "unavailable",
  log_fenced: "refused",
  blob_damaged: "corrupt",
  metadata_damaged: "corrupt",
  metadata_conflict: "refused",
  schema_newer: "refused",
  disk_full: "unavailable",
  permission_denied: "unavailable",
  io_failed: "unavailable",
  model_failed: "unavailable",
  secret_unknown: "refused",
  secrets_damaged: "corrupt",
  web_refused: "refused",
  web_failed: "unavailable",
  bundle_invalid: "corrupt",
  feature_invalid: "refused",
  feature_unknown: "refused",
  authority_denied: "refused",
  service_failed: "unavailable",
  state_conflict: "refused",
  keep_damaged: "corrupt",
  prompt_refused: "refused",
  inbox_full: "refused",
  queue_full: "refused",
  already_running: "refused",
  not_running: "refused",
  submission_conflict: "refused",
  approval_unknown: "refused",
  pod_unreachable: "unavailable",
  protocol_unsupported: "refused",
  unauthorized: "refused",
  runtime_unsafe: "refused",
  scope_conflict: "refused",
  loan_refused: "refused",
  loan_missing: "refused",
  child_unknown: "refused",
  registry_damaged: "corrupt",
  context_full: "refused",
  compaction_failed: "unavailable",
  rewind_refused: "refused",
  target_unknown: "refused",
  ticket_unknown: "refused",
  ticket_refused: "refused",
  ticket_damaged: "corrupt",
  skill_unknown: "refused",
  limit_exceeded: "refused",
  too_often: "refused",
  cancelled: "cancelled",
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof kinds;

/** For a code that another process of this program wrote. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(kinds, text);
}

/** Where a failure is, when it is in a file: machine-readable beside the sentence. */
export interface ErrorPlace {
  readonly path: string;
  /** 1-based line number. */
  readonly line?: number;
  /** Byte offset from the start of the file. */
  readonly offset?: number;
}

/**
 * An operational failure. `message` is one sentence for a person: what, where, what to do.
 * Callers decide on `code` (or `kind`), never on the message.
 */
export class YoiError extends Error {
  override readonly name = "YoiError";
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly place: ErrorPlace | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; place?: ErrorPlace } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = kinds[code];
    this.place = options.place;
  }
}

/** The text of anything that was thrown, also when it is not an Error. Never throws: what was thrown can have getters and traps of its own. */
export function messageOf(thrown: unknown): string {
  try {
    const text: unknown = thrown instanceof Error ? thrown.message : thrown;
    if (typeof text === "string") return text;
    if (!(thrown instanceof Error)) return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    // A getter, a trap or a method of its own threw.
  }
  return "an unprintable value was thrown";
}
