/** A line of text in a dialog: the keys that edit it are those of the composer. */
import { type Composer, edit } from "../../composer/composer.ts";
import type { InputEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import { joinedLines } from "../../session/joined-lines.ts";
import type { UiState } from "../state.ts";
import { editOf } from "./edit-of.ts";

export type Typed =
  | { readonly kind: "changed"; readonly field: Composer }
  | { readonly kind: "taken" | "closed" | "nothing" };

export function typedInField(state: UiState, field: Composer, input: InputEvent): Typed {
  if (input.type === "paste") return inserted(field, input.text);
  const action = actionOf(state.keys, "composer", input);
  if (action === "submit") return { kind: "taken" };
  if (action === "interrupt" || action === "cancel") return { kind: "closed" };
  const what = action === null ? null : editOf(action, { columns: state.size.columns, history: [] });
  // A field has one row, and no history.
  if (what !== null && what.type !== "newline" && what.type !== "up" && what.type !== "down")
    return { kind: "changed", field: edit(field, what) };
  return action === null && input.text !== null ? inserted(field, input.text) : { kind: "nothing" };
}

function inserted(field: Composer, text: string): Typed {
  return { kind: "changed", field: edit(field, { type: "insert", text: joinedLines(text) }) };
}
