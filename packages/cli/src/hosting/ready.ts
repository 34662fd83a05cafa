/** What is said when a hosted Pod is ready: for a script as one line with tabs or one JSON object, for a person as a sentence. */
import { isJsonObject } from "@yoi/base";
import { jsonLine } from "../output/json-line.ts";

export interface Ready {
  readonly pod: string;
  readonly pid: number;
  readonly socket: string;
  readonly state: string;
  readonly session_id: string;
  readonly segment_id: string;
  /** Of its process, when that is a file. */
  readonly log: string | null;
  /** Sentences for the user. */
  readonly warnings: readonly string[];
}

/** The first word of the line is always this one. */
export const readyMark = "yoi-pod-ready";

export function readyLine({ pod, pid, socket }: Ready): string {
  return `${[readyMark, pod, pid, socket].join("\t")}\n`;
}

export function readyJson(ready: Ready): string {
  return jsonLine(ready);
}

export function readySentence({ pod, pid, socket, state, log }: Ready): string {
  return `${pod} is up: pid ${pid}, ${state}, socket ${socket}${log === null ? "" : `, log ${log}`}\n`;
}

/** What `readyJson` wrote; null: something else. */
export function parseReady(line: string): Ready | null {
  const value = parsed(line);
  if (!isJsonObject(value)) return null;
  const { pod, pid, socket, state, session_id, segment_id, log, warnings } = value;
  if (typeof pod !== "string" || typeof pid !== "number" || typeof socket !== "string") return null;
  if (typeof state !== "string" || typeof session_id !== "string" || typeof segment_id !== "string")
    return null;
  if ((log !== null && typeof log !== "string") || !Array.isArray(warnings)) return null;
  return { pod, pid, socket, state, session_id, segment_id, log, warnings: warnings.map(String) };
}

/** The error of a command that ended with `--json`; null: something else. */
export function parseFailure(line: string): { readonly error: string; readonly code: string } | null {
  const value = parsed(line);
  if (!isJsonObject(value)) return null;
  const { error, error_code: code } = value;
  return typeof error === "string" && typeof code === "string" ? { error, code } : null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
