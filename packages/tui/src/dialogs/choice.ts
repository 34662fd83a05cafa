/** The items of a choice that its filter leaves. */
import type { ChoiceDialog, ChoiceItem } from "./dialog.ts";
import { emptyList, filtered } from "./list.ts";
import type { Intent } from "../app/intent.ts";

export function choiceItems({ items, list, isFiltered }: ChoiceDialog): readonly ChoiceItem[] {
  return isFiltered ? filtered(items, list.filter, ({ label, detail }) => `${label} ${detail}`) : items;
}

/** A question; the first answer is the chosen one, so it is to be the harmless one. */
export function question(title: string, text: readonly string[], items: readonly ChoiceItem[]): ChoiceDialog {
  return { kind: "choice", title, text, items, list: emptyList, isFiltered: false };
}

export function item(label: string, intent: Intent, detail = ""): ChoiceItem {
  return { label, detail, intent };
}

/** One of many, narrowed by typing. */
export function choiceOf(
  title: string,
  items: readonly ChoiceItem[],
  text: readonly string[] = [],
): ChoiceDialog {
  return { kind: "choice", title, text, items, list: emptyList, isFiltered: true };
}
