/** `yoi pod lineage`: every segment of a Pod, why each began and where it goes on from. */
import { escapeControls } from "@yoi/base";
import { isoTime, type Lineage, lineageOf, type LineageSegment } from "@yoi/pod";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { tableText } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podLineage(name: string, flags: JsonFlag): Promise<number> {
  const lineage = await lineageOf(openStores(readEnvironment()), name);
  const text = flags.json === true ? jsonLine(jsonOf(lineage)) : lineageText(lineage);
  process.stdout.write(text);
  return exitCode.done;
}

function jsonOf({ pod, session, segments, source, missing, unreadable }: Lineage): object {
  return {
    pod,
    session_id: session,
    segments: segments.map(({ segment, startedMs, from, turnsBefore, ...others }) => ({
      segment_id: segment,
      ...others,
      started_ms: startedMs,
      turns_before: turnsBefore,
      from: from === null ? null : { session_id: from.session, segment_id: from.segment, entry: from.id },
    })),
    source: source === null ? null : { pod: source.pod, session_id: source.session, entry: source.id },
    missing: missing === null ? null : { segment_id: missing.segment, reason: missing.reason },
    unreadable,
  };
}

/** Newest first. */
function lineageText(lineage: Lineage): string {
  const { pod, segments, source, missing, unreadable } = lineage;
  const rows = segments.map((one) => [
    one.role === "active" ? "*" : "",
    one.role === "compactor" || one.role === "left_over" ? "-" : String(one.generation),
    one.segment,
    isoTime(one.startedMs),
    whyText(one, lineage),
    String(one.entries),
    String(one.bytes),
  ]);
  const lines = [
    tableText(["", "N", "SEGMENT", "BEGAN", "WHY", "ENTRIES", "BYTES"], rows).trimEnd(),
    ...(missing === null ? [] : [`The segment ${missing.segment} is missing: ${missing.reason}.`]),
    ...unreadable.map((segment) => `The file of ${segment} does not begin as a segment.`),
    ...(source !== null && source.pod === null
      ? [`The Pod that ${pod} was forked from is not there any more (session ${source.session}).`]
      : []),
  ];
  return `${lines.map((line) => escapeControls(line, "newline-tab")).join("\n")}\n`;
}

function whyText({ why, from, role }: LineageSegment, { source, session }: Lineage): string {
  const what = role === "left_over" ? `left over (${why})` : why;
  if (from === null) return what;
  // An id of another session is that of its Pod.
  const of =
    from.session === session
      ? ""
      : ` of ${from.session === source?.session && source.pod !== null ? source.pod : "another Pod"}`;
  return `${what} from ${from.id}${of}`;
}
