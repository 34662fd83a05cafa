/** item.md: what a ticket is called, its state and further fields as front matter, and its description as Markdown. */
import { isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";
import { Document, isScalar, type Pair } from "yaml";
import type { FormatProblem } from "./format-problem.ts";
import { checkFrontMatter, type FrontMatter, readFrontMatter } from "./front-matter.ts";
import { normalizeBody } from "./lines.ts";
import { type TicketState, ticketStates } from "./ticket.ts";

export interface ParsedItem {
  /** Null, as the others: not there, or not what it has to be; a problem says which of the two. */
  readonly title: string | null;
  readonly state: TicketState | null;
  /** As written. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /** The other keys, as JSON. */
  readonly fields: JsonObject;
  /** As `normalizeBody` has it; of a file whose front matter cannot be read the whole text. */
  readonly body: string;
  /** A key that is not there is none. */
  readonly problems: readonly FormatProblem[];
}

export interface NewItem {
  /** One line. */
  readonly title: string;
  readonly state: TicketState;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly body: string;
  /** Further keys; one that is the item's own, or __proto__, is a TypeError. */
  readonly fields?: JsonObject;
}

export const ownKeys = ["title", "state", "created_at", "updated_at"] as const;
type OwnKey = (typeof ownKeys)[number];

/** Never throws. */
export function parseItem(text: string): ParsedItem {
  const front = readFrontMatter(text);
  if ("problem" in front) {
    const nothing = { title: null, state: null, created_at: null, updated_at: null, fields: {} };
    return { ...nothing, body: normalizeBody(text), problems: [front.problem] };
  }
  const problems: FormatProblem[] = [];
  const own = readOwn(front, problems);
  const state = ticketStates.find((known) => known === own.get("state")) ?? null;
  if (state === null && own.has("state")) {
    problems.push({
      check: "front_matter_field",
      line: lineOf(front, "state"),
      key: "state",
      message: `state is ${JSON.stringify(own.get("state"))}; it has to be one of ${ticketStates.join(", ")}`,
    });
  }
  return {
    title: own.get("title") ?? null,
    state,
    created_at: own.get("created_at") ?? null,
    updated_at: own.get("updated_at") ?? null,
    fields: readFields(front, problems),
    body: normalizeBody(text.slice(front.bodyStart)),
    problems: problems.sort((a, b) => a.line - b.line),
  };
}

/** Throws limit_exceeded where the front matter would be one that nobody reads. */
export function newItem(item: NewItem): string {
  const { title, state, createdAt, fields = {} } = item;
  const taken = [...ownKeys, "__proto__"].find((key) => Object.hasOwn(fields, key));
  if (taken !== undefined) throw new TypeError(`a further field cannot be called ${taken}`);
  const own = { title: title.toWellFormed(), state, created_at: createdAt, updated_at: createdAt };
  const yaml = new Document({ ...own, ...fields }).toString({ lineWidth: 0 });
  checkFrontMatter(yaml);
  const body = normalizeBody(item.body);
  return `---\n${yaml}---\n${body === "" ? "" : `\n${body}\n`}`;
}

/** The own keys that are there and are one line of text. */
function readOwn(front: FrontMatter, problems: FormatProblem[]): Map<OwnKey, string> {
  const own = new Map<OwnKey, string>();
  for (const key of ownKeys) {
    const node: unknown = front.map.get(key, true);
    const value = isScalar(node) ? node.value : node;
    if (value === undefined || value === null) continue;
    // A title such as `404` or `true` is meant as it is written.
    const text = isScalar(node) && typeof value !== "string" ? node.source : value;
    if (typeof text === "string" && text !== "" && !/[\r\n]/.test(text)) own.set(key, text);
    else {
      problems.push({
        check: "front_matter_field",
        line: lineOf(front, key),
        key,
        message: `${key} is not one line of text`,
      });
    }
  }
  return own;
}

function readFields(front: FrontMatter, problems: FormatProblem[]): JsonObject {
  const all = toJson(front, problems);
  const others = Object.entries(all).filter(([key]) => !ownKeys.some((own) => own === key));
  if (others.some(([key]) => key === "__proto__")) {
    problems.push({
      check: "front_matter_field",
      line: lineOf(front, "__proto__"),
      message: "a key cannot be called __proto__",
    });
  }
  return Object.fromEntries(others.filter(([key]) => key !== "__proto__"));
}

function toJson(front: FrontMatter, problems: FormatProblem[]): JsonObject {
  try {
    const value: unknown = front.document.toJS({ maxAliasCount: 0 });
    const json = JSON.parse(JSON.stringify(value)) as JsonValue;
    if (isJsonObject(json)) return json;
  } catch {
    // Aliases, which can multiply and hold themselves: said below.
  }
  problems.push({
    check: "front_matter",
    line: 2,
    message: "the front matter holds an alias (*name): write the value out",
  });
  return {};
}

function lineOf(front: FrontMatter, key: string): number {
  const pair = front.map.items.find((one: Pair) => isScalar(one.key) && one.key.value === key);
  const range = isScalar(pair?.key) ? pair.key.range : undefined;
  return range ? front.lineAt(range[0]) : 2;
}
