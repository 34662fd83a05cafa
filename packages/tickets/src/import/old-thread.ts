/** A thread.md of the old layout: its events as they stood there, word for word. */
import { parseThread } from "../thread.ts";
import type { TicketEvent } from "../ticket.ts";

export interface OldThread {
  /** Their ids are not what they come in under. */
  readonly events: readonly TicketEvent[];
  /** The events say all that stood there, but for blank lines around bodies and the rules between them. */
  readonly whole: boolean;
}

export function readOldThread(text: string): OldThread {
  const { preamble, events, problems } = parseThread(text);
  const lines = text.split("\n");
  const areHeadersWhole = events.every(
    ({ event, line }) => (lines[line - 1] ?? "").trimEnd() === oldHeaderOf(event),
  );
  const whole = preamble === "" && problems.length === 0 && areHeadersWhole && !/[\r\0]/.test(text);
  return { events: events.map(({ event }) => event), whole };
}

/** As the old tool wrote it. */
function oldHeaderOf({ kind, author, at, status }: TicketEvent): string {
  return `<!-- event: ${kind} author: ${author} at: ${at}${status === undefined ? "" : ` status: ${status}`} -->`;
}
