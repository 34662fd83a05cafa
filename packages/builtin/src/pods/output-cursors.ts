/** OutputCursors: how far what each child said was read. One object for as long as the feature lives; tool and state share it. */
import { isJsonObject, isUuidV7, type JsonObject } from "@yoi/base";
import type { OutputCursor } from "@yoi/feature";

/** Pods whose cursors are kept. The one that was read longest ago goes first: it is read from its beginning again. */
export const cursorsMax = 1_000;

/** Where reading of one Pod goes on; null: at its beginning. */
export interface ReadMark {
  readonly name: string;
  readonly cursor: OutputCursor | null;
}

export class OutputCursors {
  /** In the order in which they were last read. */
  readonly #cursors = new Map<string, OutputCursor>();

  /** Null: from the beginning. */
  of(name: string): OutputCursor | null {
    return this.#cursors.get(name) ?? null;
  }

  keep({ name, cursor }: ReadMark): void {
    this.#cursors.delete(name);
    if (cursor === null) return;
    this.#cursors.set(name, cursor);
    const [oldest] = this.#cursors.keys();
    if (this.#cursors.size > cursorsMax && oldest !== undefined) this.#cursors.delete(oldest);
  }

  list(): readonly ReadMark[] {
    return [...this.#cursors].map(([name, cursor]) => ({ name, cursor }));
  }

  /** Forgets all and holds `marks`, of which a later one replaces an earlier one of the same Pod. */
  replace(marks: readonly ReadMark[]): void {
    this.#cursors.clear();
    for (const mark of marks) this.keep(mark);
  }
}

/** The mark that a JSON value is, with no other field; null when it is none. */
export function markOf(value: unknown): ReadMark | null {
  if (!isJsonObject(value)) return null;
  const { name, cursor } = value;
  if (typeof name !== "string") return null;
  if (cursor === null) return Object.freeze({ name, cursor });
  const { segment, seq, bytes } = isJsonObject(cursor) ? cursor : {};
  if (typeof segment !== "string" || !isUuidV7(segment)) return null;
  if (!isCount(seq)) return null;
  if (bytes === undefined) return Object.freeze({ name, cursor: Object.freeze({ segment, seq }) });
  return isCount(bytes) ? Object.freeze({ name, cursor: Object.freeze({ segment, seq, bytes }) }) : null;
}

export function markJson({ name, cursor }: ReadMark): JsonObject {
  if (cursor === null) return { name, cursor };
  const { segment, seq, bytes } = cursor;
  return { name, cursor: { segment, seq, ...(bytes === undefined ? {} : { bytes }) } };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
