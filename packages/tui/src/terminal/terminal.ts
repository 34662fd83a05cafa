/** The terminal this program runs on: keys and sizes from it, bytes to it, and whatever happens, it is given back as it was. */
import type { InputEvent } from "../keys/key-event.ts";
import type { ScreenSize } from "../view/line.ts";
import type { Capabilities } from "./capabilities.ts";

export interface Terminal {
  readonly capabilities: Capabilities;
  readonly size: ScreenSize;
  /** False: what was written last is not taken yet; a frame is left out until `onDrain`. */
  readonly isDrained: boolean;
  /** Ignored while it is suspended or closed. */
  write(bytes: string): void;
  onInput(listener: (event: InputEvent) => void): void;
  onResize(listener: (size: ScreenSize) => void): void;
  onDrain(listener: () => void): void;
  /** There is no terminal any more: it was closed, or its connection broke. One sentence. */
  onEnd(listener: (why: string) => void): void;
  /** Null: none. */
  setTitle(title: string | null): void;
  /** The bell, and a notification where the terminal knows one. */
  notify(text: string): void;
  /** Into the user's clipboard. False: it is too long for a terminal. */
  copy(text: string): boolean;
  /** Gives the terminal back as it was, for another program. */
  suspend(): void;
  /** Takes it again. Nothing of the screen is known then. */
  resume(): void;
  /** Gives it back for good; once. */
  close(): void;
}
