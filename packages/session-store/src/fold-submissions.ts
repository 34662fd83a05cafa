/** The fold over what came in under a name. */
import { type Entry, entryId } from "@yoi/base";
import type { Submission } from "./session-state.ts";
import { commandGiven, type Given, submissionDigest } from "./submission-digest.ts";

export class Submitted {
  readonly byName = new Map<string, Submission>();

  apply(entry: Entry, generation: number): void {
    const at = (seq: number) => ({ id: entryId(generation, seq), seq });
    switch (entry.kind) {
      case "segment_start":
        for (const { name, id, digest } of entry.submissions ?? [])
          this.byName.set(name, { id, seq: 0, digest });
        return;
      case "carried":
        // It waits for longer than the last names are kept.
        if (entry.of === "input_queued")
          this.#add(entry.submission, { id: entry.id, seq: 0 }, entry.item.parts);
        return;
      case "inbox_accepted":
        this.#add(entry.submission, at(entry.seq), entry.item);
        return;
      case "user_input":
        // Its invoke stands right before it; one that had waited is known since then.
        if (entry.delivers === undefined) this.#add(entry.submission, at(entry.seq - 1), entry.parts);
        return;
      case "input_queued":
        this.#add(entry.submission, at(entry.seq), entry.parts);
        return;
      case "user_command":
        this.#add(entry.submission, at(entry.seq), commandGiven(entry));
        return;
      default:
    }
  }

  #add(name: string | undefined, at: Pick<Submission, "id" | "seq">, given: Given): void {
    if (name === undefined || this.byName.has(name)) return;
    this.byName.set(name, { ...at, digest: submissionDigest(given) });
  }
}
