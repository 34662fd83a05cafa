/** KeyEvent: one key, or a piece of text that was pasted, as the terminal's input was read. */

export interface KeyEvent {
  readonly type: "key";
  /**
   * `ctrl+`, `alt+`, `shift+` in that order before a name: enter, escape, tab, backspace, delete, up, down, left, right, home, end, pageup, pagedown, insert, f1 to
   * f12, space, or one character. Of a character without ctrl and alt: the character, in its case, without `shift+`.
   */
  readonly key: string;
  /** What it types; null: nothing. */
  readonly text: string | null;
}

export interface PasteEvent {
  readonly type: "paste";
  /** Line ends are LF. */
  readonly text: string;
}

export type InputEvent = KeyEvent | PasteEvent;
