/** The keys that move in a list, and what is typed to narrow it. */
import { type ListState, moved, typedInto } from "../../dialogs/list.ts";
import type { KeyEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import type { UiState } from "../state.ts";

/** Null: the key does something else, or nothing. */
export function listMoved(state: UiState, list: ListState, count: number, key: KeyEvent): ListState | null {
  const page = Math.max(1, Math.floor(state.size.rows / 2));
  const action = actionOf(state.keys, "list", key);
  switch (action) {
    case "list_up":
      return moved(list, count, -1);
    case "list_down":
      return moved(list, count, 1);
    case "list_page_up":
      return moved(list, count, -page - 1);
    case "list_page_down":
      return moved(list, count, page + 1);
    case "list_first":
      return { ...list, selected: 0 };
    case "list_last":
      return { ...list, selected: Math.max(0, count - 1) };
    case "list_erase":
      return { filter: [...list.filter].slice(0, -1).join(""), selected: 0 };
    case null:
      return key.text === null ? null : typedInto(list, key.text);
    default:
      return null;
  }
}
