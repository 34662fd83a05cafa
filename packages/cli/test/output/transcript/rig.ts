/** A transcript whose lines are kept, and what it is given in tests. */
import { callId, type EntryBody, type LogEntry } from "@yoi/base";
import type { Live } from "@yoi/protocol";
import { Transcript } from "../../../src/output/transcript/transcript.ts";
import { viewOf } from "../../client/view.ts";

export const call = callId(4, 1);
export const digest = "0123456789abcdef".repeat(4);

export function stored(body: EntryBody, seq = 7): LogEntry {
  return { ...body, seq, batch: seq, ts: 0 };
}

export function record(tail: number | null = null, columns: number | null = null) {
  const written: string[] = [];
  const transcript = new Transcript({
    write: (text) => void written.push(text),
    screen: () => (columns === null ? null : { columns, rows: 24 }),
    tail,
  });
  return { transcript, text: () => written.join("") };
}

/** Of a client that is up to date. */
export function present(columns: number | null = null) {
  const recorded = record(null, columns);
  recorded.transcript.snapshot(viewOf());
  return recorded;
}

export const message = (
  text: string,
  status: "completed" | "incomplete" = "completed",
  index = 0,
): EntryBody => ({
  kind: "assistant_item",
  request: 4,
  index,
  item: { type: "assistant_message", text, status },
});
export const delta = (text: string, index = 0): Live => ({
  type: "delta",
  request: 4,
  index,
  block: "text",
  text,
});
