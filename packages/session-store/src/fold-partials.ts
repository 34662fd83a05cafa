/** The fold over what has arrived of an answer whose items are not there yet. */
import type { AssistantItemEntry, AssistantPartial, PartialBlock } from "@yoi/base";

type Place = Pick<AssistantItemEntry, "request" | "index">;

export class Partials {
  readonly #open = new Map<string, PartialBlock>();

  get open(): readonly PartialBlock[] {
    return [...this.#open.values()];
  }

  /** Of the last request. */
  grown(entry: AssistantPartial): void {
    const { request, index, block, from } = entry;
    const key = keyOf(entry);
    const before = this.#open.get(key)?.text ?? "";
    // A piece was lost between them (its write failed): text with a hole would be wrong, so the block ends here.
    if (from > before.length) return;
    const name = entry.name ?? this.#open.get(key)?.name;
    const text = (from === before.length ? before : before.slice(0, from)) + entry.text;
    this.#open.set(key, { request, index, block, text, ...(name === undefined ? {} : { name }) });
  }

  done(item: Place): void {
    this.#open.delete(keyOf(item));
  }

  clear(): void {
    this.#open.clear();
  }
}

function keyOf({ request, index }: Place): string {
  return `${request}.${index}`;
}
