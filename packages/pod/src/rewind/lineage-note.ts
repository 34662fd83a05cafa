/** LineageNote: what the model is told when its session went back, or goes on from another one. */
import type { EntryBody, JsonObject, SystemItem } from "@yoi/base";

/** How many paths and names a note says; of more it says how many. */
export const namedMax = 20;

export interface WentBack {
  /** Calls whose effects stand, and which history does not know any more. */
  readonly effects: number;
  readonly restored: readonly string[];
  readonly notRestored: readonly string[];
  /** What putting files back changed, as a tool's record says it. */
  readonly record: JsonObject;
  /** That live now. */
  readonly children: readonly string[];
}

export function wentBackNote({ effects, restored, notRestored, children, record }: WentBack): EntryBody {
  const changed =
    notRestored.length === 0
      ? ""
      : ` Files that were changed since, and are as they were left then: ${namesOf(notRestored)}; read them again before you rely on them.`;
  return note(
    "the user took the session back",
    [
      "The user took this session back to this point: what was said and done behind it is not part of it any more, and you do not know it.",
      effects === 0
        ? `No command and no change that was made since is known.${changed}`
        : `What was done since is not undone (${effects === 1 ? "1 tool call" : `${effects} tool calls`} that can have effects): look before you do it again.${changed}`,
      ...(restored.length === 0
        ? []
        : [`These files were put back as they were here: ${namesOf(restored)}.`]),
      ...(children.length === 0
        ? []
        : [`Children that live now, whatever is said of them above: ${namesOf(children)}.`]),
    ],
    record,
  );
}

export function forkNote(source: string, name: string): EntryBody {
  return note(`a fork of ${source}`, [
    `This session goes on here as the Pod ${name}, a fork of the Pod ${source}, which goes on by itself: what it did behind this point is not part of this session.`,
    "Files are where they were, and may have been changed since or be changed by it: look before you rely on what was read. Children and notifications are the other's.",
  ]);
}

function note(reason: string, sentences: readonly string[], record: JsonObject = {}): EntryBody {
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
