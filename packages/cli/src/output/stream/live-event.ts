/** What goes on in a Pod right now, to whoever reads the stream of a run; null where its record says it, or nobody needs it. */
import type { Live } from "@yoi/protocol";
import { alertText } from "../alert-text.ts";
import type { LiveEvent } from "./stream-event.ts";

export function liveEventOf(live: Live): LiveEvent | null {
  switch (live.type) {
    case "turn":
      return { type: "turn", turn: live.turn + 1 };
    case "block_start": {
      const { type, request, index, block, name } = live;
      return { type, provisional: true, request, index, block, name };
    }
    case "delta": {
      const { type, request, index, block, text } = live;
      return { type, provisional: true, request, index, block, text };
    }
    case "tool_progress":
      return { type: "tool_progress", provisional: true, call: live.call, text: live.text };
    case "retry":
    case "continuation":
      return live;
    case "alert": {
      const { level, source } = live;
      return { type: "warning", level, source, text: alertText(live) };
    }
    case "state":
    case "compaction_begun":
    case "compaction_ended":
    case "tool_start":
    case "run_ended":
    case "run_failed":
    case "title":
    case "command_output":
    case "panel":
    case "spent":
    case "children":
    case "shutdown":
      return null;
  }
}
