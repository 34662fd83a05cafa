/** What the event trace says of one event: its kind, its sizes, its place. Never a text, an argument, or a name that a model made up. */
import { type Entry, type JsonObject, utf8Length } from "@yoi/base";
import type { WorkerEvent } from "@yoi/worker";

export interface TraceLine {
  /** stream_event: a piece of an answer as it arrives. lifecycle: everything else. */
  readonly kind: "stream_event" | "lifecycle";
  readonly label: string;
  readonly data: JsonObject;
}

const lifecycle = (label: string, data: JsonObject): TraceLine => ({ kind: "lifecycle", label, data });

/** Null: the event is traced from its record instead. A tool's name is kept only when it is one of `tools`. */
export function lineOfEvent(event: WorkerEvent, tools: ReadonlySet<string>): TraceLine | null {
  const known = (name: string): string | null => (tools.has(name) ? name : null);
  switch (event.type) {
    case "request_recorded":
      return null;
    case "turn_start":
      return lifecycle("turn_start", { turn: event.turn });
    case "block_start": {
      const tool = event.name === undefined ? {} : { tool: known(event.name) };
      return {
        kind: "stream_event",
        label: "block_start",
        data: { index: event.index, block: event.block, ...tool },
      };
    }
    case "block_delta": {
      const data = { index: event.index, block: event.block, bytes: utf8Length(event.text) };
      return { kind: "stream_event", label: "block_delta", data };
    }
    case "retry": {
      const { attempt, attemptsMax, waitMs, failure } = event;
      const status = failure.status === undefined ? {} : { status: failure.status };
      return lifecycle("retry", {
        attempt,
        attempts_max: attemptsMax,
        wait_ms: waitMs,
        failure: failure.kind,
        ...status,
      });
    }
    case "continuation":
      return lifecycle("continuation", { attempt: event.attempt, attempts_max: event.attemptsMax });
    case "answer":
      return lifecycle("answer", { request: event.request, finish: event.finish, usage: { ...event.usage } });
    case "text":
      return lifecycle("text", { bytes: utf8Length(event.text) });
    case "tool_start":
      return lifecycle("tool_start", { call: event.call, tool: known(event.name) });
    case "tool_progress":
      return lifecycle("tool_progress", { call: event.call, bytes: utf8Length(event.text) });
    case "tool_end": {
      const { name, is_error, summary, content } = event.result;
      return lifecycle("tool_end", {
        call: event.call,
        tool: known(name),
        is_error,
        summary_bytes: utf8Length(summary),
        content_bytes: utf8Length(content ?? ""),
      });
    }
    case "denied":
      return lifecycle("denied", { call: event.call, tool: known(event.name) });
    case "warning":
      return lifecycle("warning", { bytes: utf8Length(event.text) });
  }
}

/** What a durable batch is traced as: where it lies and which kinds are in it, then a line for each beginning and end. */
export function linesOfBatch(entries: readonly Entry[]): readonly TraceLine[] {
  const first = entries[0]?.seq ?? null;
  const last = entries.at(-1)?.seq ?? null;
  const kinds = [...new Set(entries.map((entry) => entry.kind))];
  return [lifecycle("committed", { first, last, kinds }), ...entries.flatMap(linesOfEntry)];
}

function linesOfEntry(entry: Entry): TraceLine[] {
  switch (entry.kind) {
    case "invoke":
      return [lifecycle("run_start", { trigger: entry.trigger })];
    case "llm_request":
      return [
        lifecycle("request_recorded", {
          seq: entry.seq,
          model: entry.config.model,
          adapter: `${entry.adapter.name} ${entry.adapter.version}`,
          lowering: entry.lowering,
          items: entry.items,
          prune_before: entry.projection.prune_before,
          body_bytes: entry.wire.bytes,
        }),
      ];
    case "run_paused":
      return [lifecycle("run_end", { end: "paused", reason: entry.reason })];
    case "run_completed":
      return [lifecycle("run_end", { end: entry.result })];
    case "run_errored":
      return [lifecycle("run_end", { end: "errored", code: entry.code })];
    default:
      return [];
  }
}
