/** HalfLines: what all clients together have sent of lines that have no end yet. */
import { halfLinesBytesMax } from "@yoi/protocol";

export interface HalfLineSender {
  /** Its half line is given up, and its connection with it: `keep` is told that nothing is kept. */
  giveUpLine(): void;
}

export class HalfLines {
  /** In the order in which they began. */
  readonly #kept = new Map<HalfLineSender, number>();
  #bytes = 0;

  /** Where all have more than they may, the line that began first is given up: a line that is being sent is through soon. */
  keep(sender: HalfLineSender, bytes: number): void {
    this.#bytes += bytes - (this.#kept.get(sender) ?? 0);
    if (bytes === 0) this.#kept.delete(sender);
    else this.#kept.set(sender, bytes);
    for (const first of this.#kept.keys()) {
      if (this.#bytes <= halfLinesBytesMax) return;
      first.giveUpLine();
    }
  }
}
