/** The places that the filter of a rewind leaves. */
import type { RewindTargetView } from "@yoi/protocol";
import type { RewindDialog } from "./dialog.ts";
import { emptyList, filtered } from "./list.ts";

export function rewindTargets({ targets, list }: RewindDialog): readonly RewindTargetView[] {
  return filtered(targets, list.filter, ({ preview, kind, turn }) => `${kind} ${turn} ${preview}`);
}

/** Which side of what the history would end on, in the words of the person. */
export function placeText({ side, kind, preview }: RewindTargetView): string {
  const place = kind === "turn" ? "after the answer" : side;
  return `${place === "behind" ? "after" : place} "${preview}"`;
}

export const newRewind: RewindDialog = {
  kind: "rewind",
  head: null,
  targets: [],
  hasMore: false,
  isAsking: true,
  list: emptyList,
  withFiles: false,
  isUndo: false,
  chosen: null,
};
