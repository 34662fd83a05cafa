/**
 * What of a transcript is the same in every run of the same scene. Changed are, and nothing else:
 * ids and times (`ts`, `duration_ms`, `resume_after_ms`, a time in a sentence, session and segment ids) stand as names or 0; `seq`, and what refers to one, counts the records shown (how many
 * `assistant_partial` entries lie between depends on timing); paths begin with <workspace> or <home>; what another part of yoi decides (`version`,
 * `tools`, `digest`, `body_bytes`) stands as a name or 0; deltas of one block, and progress of one call, are joined while nothing else comes between;
 * results that follow each other stand in the order of their calls, because parallel calls end in any order.
 */
import type { JsonObject, JsonValue } from "@yoi/base";
import type { TempHome } from "../support/temp-home.ts";

const zeroed: ReadonlySet<string> = new Set(["ts", "duration_ms", "resume_after_ms", "body_bytes"]);
const named: ReadonlySet<string> = new Set(["version", "tools", "digest", "session_id", "segment_id"]);
const seqs: ReadonlySet<string> = new Set(["seq", "request", "first_seq", "last_seq"]);

export function normalise(stdout: string, home: TempHome): readonly JsonObject[] {
  const order = new Map<number, number>();
  const rank = (seq: number): number => {
    if (!order.has(seq)) order.set(seq, order.size);
    return order.get(seq) ?? 0;
  };
  const change = (key: string, value: JsonValue | undefined): JsonValue => {
    if (value === null || value === undefined) return null;
    if (zeroed.has(key)) return 0;
    if (named.has(key)) return `<${key}>`;
    if (seqs.has(key) && typeof value === "number") return rank(value);
    if (key === "call" && typeof value === "string") {
      const [seq, index] = value.split(".");
      return `${rank(Number(seq))}.${index}`;
    }
    if (typeof value === "string")
      return value
        .replaceAll(home.workspace, "<workspace>")
        .replaceAll(home.root, "<home>")
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>");
    if (Array.isArray(value)) return value.map((each: JsonValue) => change("", each));
    return typeof value === "object" ? changeAll(value as JsonObject) : value;
  };
  const changeAll = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));
  return inCallOrder(joined(linesOf(stdout))).map(changeAll);
}

/** Every line as its object; throws where the output is not LF-ended lines of JSON. */
export function linesOf(stdout: string): readonly JsonObject[] {
  if (stdout !== "" && !stdout.endsWith("\n")) throw new Error("the last line has no end");
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject);
}

function joined(lines: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  for (const line of lines) {
    const last = kept.at(-1);
    const goesOn =
      (line["type"] === "delta" || line["type"] === "tool_progress") &&
      ["type", "request", "index", "call"].every((key) => last?.[key] === line[key]);
    if (goesOn && last !== undefined)
      kept[kept.length - 1] = { ...last, text: `${String(last["text"])}${String(line["text"])}` };
    else kept.push(line);
  }
  return kept;
}

function inCallOrder(lines: readonly JsonObject[]): readonly JsonObject[] {
  const ordered = [...lines];
  const later = (a: JsonObject | undefined, b: JsonObject | undefined): boolean =>
    a?.["type"] === "tool_result" && b?.["type"] === "tool_result" && indexOf(a["call"]) > indexOf(b["call"]);
  for (let at = 1; at < ordered.length; at += 1) {
    for (let to = at; later(ordered[to - 1], ordered[to]); to -= 1)
      ordered.splice(to - 1, 2, ...ordered.slice(to - 1, to + 1).toReversed());
  }
  return ordered;
}

function indexOf(call: JsonValue | undefined): number {
  return Number(String(call).split(".")[1]);
}

export function textOf(lines: readonly JsonObject[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
