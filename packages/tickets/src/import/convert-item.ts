/** convertItem: the item.md of today that says what an old one said. */
import type { JsonObject } from "@yoi/base";
import { editItem } from "../edit-item.ts";
import { newItem } from "../item.ts";
import { legacyField } from "../legacy-fields.ts";
import { msOfTime } from "../time.ts";
import { type TicketState, titleCharsMax } from "../ticket.ts";
import type { OldItem } from "./old-item.ts";

export interface ConvertedItem {
  readonly title: string;
  readonly text: string;
  /** It says all that the old one said. */
  readonly whole: boolean;
}

export function convertItem(
  old: OldItem,
  now: {
    /** Of the old folder: what the ticket is called where it says no title. */
    readonly name: string;
    readonly createdMs: number;
    readonly state: TicketState;
    readonly [legacyField]: JsonObject;
  },
): ConvertedItem {
  const chars = [...(old.title ?? now.name)];
  const title = chars.slice(0, titleCharsMax).join("");
  const isCreatedSaid = old.created_at !== null && msOfTime(old.created_at) === now.createdMs;
  const createdAt =
    isCreatedSaid && old.created_at !== null ? old.created_at : new Date(now.createdMs).toISOString();
  const updatedMs = old.updated_at === null ? null : msOfTime(old.updated_at);
  const isUpdatedSaid = updatedMs !== null && updatedMs >= now.createdMs;
  const text = newItem({
    title,
    state: now.state,
    createdAt,
    body: old.body,
    fields: { ...old.fields, [legacyField]: now[legacyField] },
  });
  return {
    title,
    text: isUpdatedSaid && old.updated_at !== null ? editItem(text, { updated_at: old.updated_at }) : text,
    whole:
      chars.length <= titleCharsMax &&
      (old.created_at === null || isCreatedSaid) &&
      (old.updated_at === null || isUpdatedSaid),
  };
}
