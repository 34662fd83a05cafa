/** What a Pod refused, as one of our own failures: with the code that its cause names, where there is one. */
import { type ErrorCode, YoiError } from "@yoi/base";
import { ConnectionLost, type ProtocolError, type ProtocolErrorCode, RequestRefused } from "@yoi/protocol";

const codes: Readonly<Record<ProtocolErrorCode, ErrorCode>> = {
  already_running: "already_running",
  not_running: "not_running",
  not_paused: "nothing_to_resume",
  provider_error: "model_failed",
  tool_error: "io_failed",
  invalid_request: "usage",
  internal: "pod_unreachable",
  unauthorized: "unauthorized",
  forbidden: "unauthorized",
  protocol_unsupported: "protocol_unsupported",
  busy: "pod_unreachable",
  closing: "pod_unreachable",
};

/** Causes that say more than the code does. */
const causes: ReadonlySet<string> = new Set<ErrorCode>([
  "approval_unknown",
  "already_running",
  "blob_damaged",
  "child_unknown",
  "compaction_failed",
  "disk_full",
  "inbox_full",
  "queue_full",
  "io_failed",
  "limit_exceeded",
  "loan_missing",
  "loan_refused",
  "log_damaged",
  "log_fenced",
  "log_poisoned",
  "not_running",
  "nothing_to_resume",
  "pod_unknown",
  "prompt_empty",
  "prompt_refused",
  "rewind_refused",
  "scope_conflict",
  "submission_conflict",
  "target_unknown",
]);

/** What was thrown by a call or a hello, for the edge of the program; anything else as it is. */
export function asYoiError(thrown: unknown, pod: string): unknown {
  if (thrown instanceof RequestRefused) return refusal(thrown.error, pod);
  if (!(thrown instanceof ConnectionLost)) return thrown;
  const message = `The connection to the Pod ${pod} was lost before it answered: \`yoi pod show ${pod}\` says what became of it.`;
  return new YoiError("pod_unreachable", message, { cause: thrown });
}

function refusal({ code, cause, message, versions }: ProtocolError, pod: string): YoiError {
  const own = cause !== undefined && isCause(cause) ? cause : codes[code];
  return new YoiError(own, sentence(code, message, versions ?? [], pod));
}

function isCause(code: string): code is ErrorCode {
  return causes.has(code);
}

function sentence(
  code: ProtocolErrorCode,
  message: string,
  versions: readonly number[],
  pod: string,
): string {
  switch (code) {
    case "unauthorized":
      return `The Pod ${pod} does not take this user's token, which was made anew since it started, or is of another data directory: use the environment in which it was started.`;
    case "protocol_unsupported":
      return `The Pod ${pod} speaks version ${versions.join(", ") || "?"} of the protocol and this yoi another one (${message}): use the yoi that started it, or start it again with this one (\`yoi pod stop ${pod}\`, then \`yoi pod restore ${pod}\`).`;
    case "already_running":
      return `The Pod ${pod} is running: wait for the end of its run (\`yoi attach ${pod}\`), stop it (\`yoi pod cancel ${pod}\`), or give it a prompt for later (\`yoi pod send ${pod} --queue run_end\`, \`--queue boundary\`).`;
    case "not_running":
      return `Nothing runs in the Pod ${pod}: nothing was done.`;
    case "not_paused":
      return `There is nothing to go on with in the Pod ${pod}: give it a prompt.`;
    case "closing":
      return `The Pod ${pod} is being shut down: \`yoi pod restore ${pod}\` starts it again.`;
    case "busy":
      return `The Pod ${pod} cannot take this now (${message}): try again in a moment.`;
    case "provider_error":
    case "tool_error":
    case "invalid_request":
    case "internal":
    case "forbidden":
      return message;
  }
}
