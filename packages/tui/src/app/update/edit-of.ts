/** The edit that an action is, where it is one. */
import type { ComposerEdit } from "../../composer/composer.ts";
import type { History } from "../../composer/history.ts";
import type { Action } from "../../keys/actions.ts";

export interface EditPlace {
  /** Of the composer's rows. */
  readonly columns: number;
  readonly history: History;
}

/** Null: the action is none. */
export function editOf(action: Action, place: EditPlace): ComposerEdit | null {
  switch (action) {
    case "newline":
      return { type: "newline" };
    case "left":
    case "right":
    case "word_left":
    case "word_right":
    case "line_start":
    case "line_end":
      return { type: "move", to: action };
    case "text_start":
      return { type: "move", to: "start" };
    case "text_end":
      return { type: "move", to: "end" };
    case "up":
    case "down":
      return { type: action, ...place };
    case "history_previous":
    case "history_next":
      return { type: action, history: place.history };
    case "delete_left":
      return { type: "backspace" };
    case "delete_right":
      return { type: "delete" };
    case "kill_word_left":
      return { type: "kill", to: "word_left" };
    case "kill_word_right":
      return { type: "kill", to: "word_right" };
    case "kill_line_left":
      return { type: "kill", to: "line_start" };
    case "kill_line_right":
      return { type: "kill", to: "line_end" };
    case "yank":
    case "yank_older":
    case "undo":
    case "redo":
      return { type: action };
    default:
      return null;
  }
}
