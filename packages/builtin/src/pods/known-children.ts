/** KnownChildren: what each child was lent and asked, as the calls that are on record say. One object for as long as the feature lives; tools and state share it. */
import { isJsonObject, type JsonObject, type JsonValue, utf8Length } from "@yoi/base";
import type { ToolRecord } from "@yoi/feature";
import { shownLine } from "../shown-line.ts";

/** Children that are remembered. The one that was heard of longest ago goes first. */
export const childrenKnownMax = 16;
/** UTF-16 units of what one was asked first, and last. */
const askedCharsMax = 200;
/** Rules of one that are remembered. */
const rulesKnownMax = 4;
/** UTF-16 units of a path. */
const pathCharsMax = 120;

export interface KnownChild {
  readonly name: string;
  /** `write /w/a`, one for each of the first rules; the last one says how many more there are. */
  readonly scope: readonly string[];
  /** How its task begins. */
  readonly task: string;
  /** How the last message to it begins; null: it got none. */
  readonly message: string | null;
}

export class KnownChildren {
  /** In the order in which they were last heard of. */
  readonly #children = new Map<string, KnownChild>();

  list(): readonly KnownChild[] {
    return [...this.#children.values()];
  }

  /** What a call that succeeded says. */
  heard(tool: string, args: JsonObject): void {
    const { name, task, message, scope } = args;
    if (typeof name !== "string") return;
    const known = this.#children.get(name);
    if (tool === "SpawnPod" && typeof task === "string")
      this.#keep({ name, task: beginning(task), scope: rulesOf(scope), message: null });
    if (tool === "SendToPod" && typeof message === "string" && known !== undefined)
      this.#keep({ ...known, message: beginning(message) });
    if (tool === "StopPod") this.#children.delete(name);
  }

  #keep(child: KnownChild): void {
    this.#children.delete(child.name);
    this.#children.set(child.name, child);
    const [oldest] = this.#children.keys();
    if (this.#children.size > childrenKnownMax && oldest !== undefined) this.#children.delete(oldest);
  }

  /** Forgets all and knows `children`, then what the records say. */
  replace(children: readonly KnownChild[], records: readonly ToolRecord[]): void {
    this.#children.clear();
    for (const child of children) this.#keep(child);
    for (const { tool, arguments: args, isError } of records)
      if (!isError && args !== null) this.heard(tool, args);
  }

  /** For a model that no longer sees the calls; null: there are none. @param bytesMax the one heard of last first, as many as have room. */
  describe(bytesMax: number): string | null {
    const children = this.list().toReversed();
    if (children.length === 0) return null;
    const lines: string[] = [`Pods that you started and did not stop (ListPods says what they do now):`];
    let room = bytesMax - utf8Length(lines[0] ?? "") - 40;
    for (const child of children) {
      const line = lineOf(child);
      room -= utf8Length(line) + 1;
      if (room < 0) break;
      lines.push(line);
    }
    const left = children.length + 1 - lines.length;
    return [...lines, ...(left === 0 ? [] : [`(and ${left} more)`])].join("\n");
  }
}

function lineOf({ name, scope, task, message }: KnownChild): string {
  const last = message === null ? "" : ` Told last: ${message}`;
  return `- ${name}, lent ${scope.join(", ")}. Asked: ${task}${last}`;
}

function beginning(text: string): string {
  return shownLine(text, askedCharsMax);
}

function rulesOf(scope: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(scope)) return [];
  const rules = scope.flatMap((rule) => {
    const { permission, target } = isJsonObject(rule) ? rule : {};
    if (typeof permission !== "string" || typeof target !== "string") return [];
    return [`${permission} ${shownLine(target, pathCharsMax)}`];
  });
  const more = rules.length - rulesKnownMax;
  return more > 0 ? [...rules.slice(0, rulesKnownMax), `${more} more`] : rules;
}

export function childJson({ name, scope, task, message }: KnownChild): JsonObject {
  return { name, scope: [...scope], task, message };
}

/** The child that a JSON value is; null when it is none. */
export function childOf(value: unknown): KnownChild | null {
  if (!isJsonObject(value)) return null;
  const { name, scope, task, message } = value;
  if (typeof name !== "string" || typeof task !== "string" || !Array.isArray(scope)) return null;
  if (message !== null && typeof message !== "string") return null;
  return { name, scope: scope.filter((rule) => typeof rule === "string"), task, message };
}
