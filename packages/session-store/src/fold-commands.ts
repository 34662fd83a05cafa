/** The fold over commands of the user: those of which it is not on record what came of them. */
import { type Entry, entryId, type SystemItem } from "@yoi/base";
import type { OpenCommand } from "./session-state.ts";

export class Commands {
  readonly #open = new Map<string, OpenCommand>();

  /** In the order in which they were asked for. */
  get open(): readonly OpenCommand[] {
    return [...this.#open.values()];
  }

  apply(entry: Entry, generation: number): void {
    switch (entry.kind) {
      case "user_command":
        this.#begun({ ...entry, id: entryId(generation, entry.seq) });
        return;
      case "inbox_accepted":
        this.#told(entry.item);
        return;
      case "carried":
        if (entry.of === "user_command") this.#begun(entry);
        return;
      default:
    }
  }

  #begun({ id, command, submission }: OpenCommand): void {
    this.#open.set(id, { id, command, submission });
  }

  /** What came of it names it: in the same line, so it is told once or not at all. */
  #told({ kind, record }: SystemItem): void {
    const id = kind === "user_command" ? record?.["command"] : null;
    if (typeof id === "string") this.#open.delete(id);
  }
}
