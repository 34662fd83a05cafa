/** Fold of what the host puts into history, and of what waits to be put there. */
import { skillLine, type SystemItem, type SystemItemEntry } from "@yoi/base";
import { answerBegun } from "./answer-begun.ts";
import type { BlockBody } from "./block.ts";
import type { Draft } from "./draft.ts";

/** What comes behind an input because it asks for it. */
const attachedKinds: ReadonlySet<SystemItem["kind"]> = new Set(["file_attachment", "skill"]);

export function foldSystemItem(draft: Draft, id: string, { item, delivers }: SystemItemEntry): void {
  if (delivers !== undefined) {
    draft.set({ waiting: Math.max(0, draft.session.waiting - 1) });
    if (isShown(draft, delivers)) return;
  }
  const { inputs } = draft.held;
  const input = inputs.at(-1);
  if (input !== undefined && input.toCome > 0 && attachedKinds.has(item.kind)) {
    const more = { ...input, attached: [...input.attached, id], toCome: input.toCome - 1 };
    draft.hold({ inputs: [...inputs.slice(0, -1), more] });
    return draft.add(id, systemBody(item), false);
  }
  // The note that there was an answer: its input stays.
  if (item.kind === "interrupt") answerBegun(draft);
  draft.add(id, systemBody(item));
}

/**
 * Shown once the model is told of it, but for what came of a command of the user, which ends its block.
 * @param id of where it was accepted.
 */
export function foldAccepted(draft: Draft, seq: number, id: string, item: SystemItem): void {
  draft.set({ waiting: draft.session.waiting + 1 });
  const command = draft.held.resultsBefore.get(id) ?? endCommand(draft, item);
  if (command !== null) draft.hold({ results: new Map(draft.held.results).set(seq, { id, command }) });
}

/** The id of the block that it ended; null: it is of no command that is shown. */
function endCommand(draft: Draft, { kind, record, body }: SystemItem): string | null {
  const command = kind === "user_command" ? record?.["command"] : null;
  const block = typeof command === "string" ? draft.open(command) : null;
  if (block?.kind !== "command") return null;
  const isFine = record?.["end"] === "exited" && record["exit"] === 0;
  const progress = record?.["end"] === "unknown" ? "unknown" : isFine ? "done" : "failed";
  draft.put(block, { kind: "command", command: block.command, progress, output: body }, true);
  return block.id;
}

export function systemBody(item: SystemItem): BlockBody {
  const { kind, source, reason = null, body, images } = item;
  const title = skillLine(item);
  return {
    kind: "system",
    item: kind,
    source,
    ...(title === null ? {} : { title }),
    reason,
    body,
    images: images?.length ?? 0,
  };
}

/** What it delivers stands in the block of its command. */
function isShown(draft: Draft, delivers: number): boolean {
  const { results } = draft.held;
  if (!results.has(delivers)) return false;
  const left = new Map(results);
  left.delete(delivers);
  draft.hold({ results: left });
  return true;
}
