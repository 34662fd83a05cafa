/** What an event of a Pod says to whoever reads the stream; null where its record says it. */
import type { PodEvent } from "@yoi/pod";
import { alertText } from "../alert-text.ts";
import type { LiveEvent } from "./stream-event.ts";

/** @param request seq of the last request on record; null: there is none yet. */
export function liveEventOf(event: PodEvent, request: number | null): LiveEvent | null {
  switch (event.type) {
    case "turn_start":
      return { type: "turn", turn: event.turn + 1 };
    case "block_start": {
      if (request === null) return null;
      const { type, index, block, name } = event;
      return { type, provisional: true, request, index, block, name: name ?? null };
    }
    case "block_delta": {
      if (request === null) return null;
      const { index, block, text } = event;
      return { type: "delta", provisional: true, request, index, block, text };
    }
    case "tool_progress":
      return { type: "tool_progress", provisional: true, call: event.call, text: event.text };
    case "retry": {
      const { attempt, attemptsMax, waitMs, failure } = event;
      return {
        type: "retry",
        request,
        attempt,
        attempts_max: attemptsMax,
        wait_ms: waitMs,
        error_code: failure.kind,
        message: failure.message,
        status: failure.status ?? null,
      };
    }
    case "continuation": {
      const { attempt, attemptsMax, reason } = event;
      return { type: "continuation", request, attempt, attempts_max: attemptsMax, reason };
    }
    case "alert": {
      const { level, source } = event.alert;
      return { type: "warning", level, source, text: alertText(event.alert) };
    }
    case "state":
    case "run_ended":
    case "run_failed":
    case "request_recorded":
    case "answer":
    case "text":
    case "tool_start":
    case "tool_end":
    case "denied":
      return null;
  }
}
