/** A session after some entries and live events, and what it shows, a line for each block. */
import { callId, type EntryBody, type LogEntry, type ToolResult } from "@yoi/base";
import type { Live } from "@yoi/protocol";
import { emptySession } from "../../../src/session/empty-session.ts";
import type { Block } from "../../../src/session/block.ts";
import type { PodSession, SessionEvent } from "../../../src/session/session.ts";
import { LogRig } from "./log-rig.ts";
import { folded } from "./shown.ts";

export type Body = EntryBody | { readonly kind: string; readonly opaque: true; readonly fields: object };

/** A session of generation 0, with entries from seq 3 on. */
export function after(bodies: readonly Body[], live: readonly Live[] = [], from = begun()): PodSession {
  const first = (from.cursor?.seq ?? -1) + 1;
  const entries = bodies.map((body, at): SessionEvent => {
    const seq = first + at;
    return { type: "entry", entry: { ...body, seq, batch: first, ts: seq } as LogEntry };
  });
  const events = live.map((one, at): SessionEvent => ({ type: "live", live: one, n: at + 1 }));
  return folded([...entries, ...events], from);
}

export const begun = (): PodSession => folded(new LogRig().attach(), emptySession("sim"));

/** Each block in a line, but for the first, which is how the Pod began. */
export const said = (session: PodSession): readonly string[] => session.blocks.slice(1).map(lineOf);

export function lineOf(block: Block): string {
  const end = block.isFinished ? "" : " ...";
  switch (block.kind) {
    case "input":
      return `${block.id} input${end}`;
    case "answer":
    case "reasoning":
      return `${block.id} ${block.kind} ${block.progress} ${block.text}${end}`;
    case "call":
      return `${block.id} call ${block.tool} ${block.progress}${block.output === "" ? "" : ` > ${block.output}`}${block.summary === null ? "" : ` = ${block.summary}`}${end}`;
    case "system":
      return `${block.id} system ${block.item}${end}`;
    case "command":
      return `${block.id} command ${block.progress}${end}`;
    case "note":
      return `${block.id} ${block.level}: ${block.text}${end}`;
  }
}

export const input = (text: string): EntryBody => ({ kind: "user_input", parts: [{ type: "text", text }] });
export const invoke: EntryBody = { kind: "invoke", trigger: "user_send" };
export const answer = (
  index: number,
  text: string,
  status: "completed" | "incomplete" = "completed",
): EntryBody => ({
  kind: "assistant_item",
  request: 5,
  index,
  item: { type: "assistant_message", text, status },
});
export const id = callId(5, 1);
export const call: EntryBody = {
  kind: "assistant_item",
  request: 5,
  index: 1,
  item: { type: "tool_call", call: id, name: "Bash", arguments: '{"command":"x"}' },
};
export const result = (item: Partial<ToolResult>): EntryBody => ({
  kind: "tool_result",
  item: { type: "tool_result", call: id, name: "Bash", summary: "s", is_error: false, ...item },
});
export const asked: EntryBody = {
  kind: "approval_asked",
  call: id,
  digest: "d",
  reason: "r",
  expires: 9,
  offers: ["Bash(x)"],
};
export const answered = { kind: "approval_answered", call: id, digest: "d", answer: "allow" } as const;
export const started: EntryBody = { kind: "tool_started", call: id };
