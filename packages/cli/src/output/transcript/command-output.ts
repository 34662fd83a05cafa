/** CommandOutput: what a command of the user writes, as lines while it runs, and what came of it. */
import type { SystemItem } from "@yoi/base";
import { type Block, block, lineBlock } from "./entry-blocks.ts";

/** Of what one command writes; the model reads no more than the Pod keeps of it either. UTF-16 units. */
export const shownCharsMax = 16_384;
/** Of a line whose end has not come yet: a longer one is shown in pieces. UTF-16 units. */
export const openLineCharsMax = 4_096;

interface Shown {
  /** UTF-16 units that may still be shown. */
  room: number;
  /** A line whose end has not come. */
  open: string;
}

export class CommandOutput {
  /** By command, from its first output on. */
  readonly #shown = new Map<string, Shown>();

  /** Pieces may be missing from here on: what came of a command is shown whole again. */
  missed(): void {
    this.#shown.clear();
  }

  wrote(id: string, text: string): readonly Block[] {
    const shown = this.#shown.get(id) ?? { room: shownCharsMax, open: "" };
    this.#shown.set(id, shown);
    if (shown.room === 0) return [];
    const taken = text.slice(0, shown.room);
    shown.room -= taken.length;
    const all = shown.open + taken;
    const isDue = shown.room === 0 || all.length > openLineCharsMax;
    const end = isDue ? all.length : all.lastIndexOf("\n") + 1;
    shown.open = all.slice(end);
    return [
      ...(end === 0 ? [] : [block("#", all.slice(0, end))]),
      ...(shown.room === 0 ? [lineBlock("-", "what else that command writes is not shown here")] : []),
    ];
  }

  /** Of one whose output was shown only how it ended. */
  ended({ record, body }: SystemItem): readonly Block[] {
    const id = record?.["command"];
    const shown = typeof id === "string" ? this.#shown.get(id) : undefined;
    if (typeof id === "string") this.#shown.delete(id);
    if (shown === undefined) return [outcomeBlock(body)];
    const exit = record?.["exit"];
    const end = String(record?.["end"] ?? "unknown").replaceAll("_", " ");
    const how = typeof exit === "number" ? `with exit ${exit}` : end;
    return [
      ...(shown.open === "" ? [] : [block("#", shown.open)]),
      lineBlock("-", `the command ended: ${how}`),
    ];
  }
}

/** All that the model reads of it. */
function outcomeBlock(body: string): Block {
  return block("#", body.length <= shownCharsMax ? body : `${body.slice(0, shownCharsMax)}…`);
}
