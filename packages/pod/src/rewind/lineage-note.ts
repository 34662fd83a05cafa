/** LineageNote: what the model is told when its session went back, or goes on from another one. */
import type { EntryBody, JsonObject, SystemItem } from "@yoi/base";

type SystemItemEntry = Extract<EntryBody, { kind: "system_item" }>;

/** How many paths and names a note says; of more it says how many. */
export const namedMax = 20;

export interface WentBack {
  /** Calls since the place, and commands of the user, whose effects stand. */
  readonly effects: number;
  /** Files that were changed since. */
  readonly changed: readonly string[];
  /** Of those, some are put back once history is there. */
  readonly putsBack: boolean;
  /** That live now. */
  readonly children: readonly string[];
}

export function movedNote({ effects, changed, putsBack, children }: WentBack): SystemItemEntry {
  const files = namesOf(changed);
  const outcome = putsBack
    ? `Files that were changed since: ${files}; what was put back of them is said next. Where nothing is said, that was cut off: read them again before you rely on them.`
    : `Files that were changed since, and are as they were left then: ${files}; read them again before you rely on them.`;
  return note("the user moved the session", [
    "The user moved this session to this point: what was said and done since, here or on another branch of it, is not part of it, and you do not know it.",
    effects === 0
      ? "No command and no change that was made since is known."
      : `What was done since is not undone (${effects === 1 ? "1 call or command" : `${effects} calls or commands`} that can have effects): look before you do it again.`,
    ...(changed.length === 0 ? [] : [outcome]),
    ...(children.length === 0
      ? []
      : [`Children that live now, whatever is said of them above: ${namesOf(children)}.`]),
  ]);
}

export interface PutBack {
  readonly restored: readonly string[];
  readonly notRestored: readonly string[];
  /** What that changed, as a tool's record says it. */
  readonly record: JsonObject;
}

export function putBackNote({ restored, notRestored, record }: PutBack): SystemItemEntry {
  const sentences = [
    ...(restored.length === 0 ? [] : [`These files are as they were at this point: ${namesOf(restored)}.`]),
    ...(notRestored.length === 0
      ? []
      : [`These were not put back: ${namesOf(notRestored)}; read them again before you rely on them.`]),
  ];
  return note("the user had files put back", sentences, record);
}

export function forkNote(source: string, name: string): SystemItemEntry {
  return note(`a fork of ${source}`, [
    `This session goes on here as the Pod ${name}, a fork of the Pod ${source}, which goes on by itself: what it did behind this point is not part of this session.`,
    "Files are where they were, and may have been changed since or be changed by it: look before you rely on what was read. Children and notifications are the other's.",
  ]);
}

function note(reason: string, sentences: readonly string[], record: JsonObject = {}): SystemItemEntry {
  const item: SystemItem = {
    type: "system_item",
    kind: "lineage",
    source: "host",
    reason,
    body: sentences.join(" "),
    ...(Object.keys(record).length === 0 ? {} : { record }),
  };
  return { kind: "system_item", item };
}

function namesOf(names: readonly string[]): string {
  const more = names.length - namedMax;
  return `${names.slice(0, namedMax).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
