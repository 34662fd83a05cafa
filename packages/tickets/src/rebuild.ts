/**
 * Bodies whose lines a merge put in between those of others. Git's union driver writes what two branches appended one behind the other, but a run of more than three lines that
 * both have it writes once, in the middle of the two. No line is lost by that: an event's end knows the lines of its body, in their order, and they are somewhere in the file.
 */
import { bodyBytesMax } from "./ticket.ts";
import { lineSumChars, lineSumOf } from "./render-event.ts";

/** UTF-16 units that are put together for one thread, so that one line that is named a thousand times does not take a thousand times as long. */
export const rebuiltCharsMax = 64 * 1024 * 1024;

/** Of one body, its backslashes included. */
export const rebuiltBodyCharsMax = 2 * bodyBytesMax;

export class LineIndex {
  readonly #lines = new Map<string, string>();
  #charsLeft = rebuiltCharsMax;

  /** @param lines as they stand in the file: of two with one sum the later one is found. */
  constructor(lines: readonly string[]) {
    for (const line of lines) this.#lines.set(lineSumOf(line), line);
  }

  /** Null: a line is not there any more, or there is more of it than may be. */
  rebuilt(lineSums: string): readonly string[] | null {
    const found: string[] = [];
    let chars = 0;
    for (const sum of lineSumsOf(lineSums)) {
      const line = this.#lines.get(sum);
      chars += (line?.length ?? 0) + 1;
      if (line === undefined || chars > Math.min(rebuiltBodyCharsMax, this.#charsLeft)) return null;
      found.push(line);
    }
    this.#charsLeft -= chars;
    return found;
  }
}

export function lineSumsOf(lineSums: string): readonly string[] {
  return Array.from({ length: lineSums.length / lineSumChars }, (_, at) =>
    lineSums.slice(at * lineSumChars, (at + 1) * lineSumChars),
  );
}
