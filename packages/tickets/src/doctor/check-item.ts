/** An item.md: what it says, what it lacks, and what it says of older formats. */
import { legacyField, obsoleteFields } from "../legacy-fields.ts";
import type { ParsedItem } from "../item.ts";
import { splitLines } from "../lines.ts";
import { itemName } from "../place.ts";
import { checkTime } from "./check-time.ts";
import { conflictAt, outsideFences, reportConflict } from "./conflict.ts";
import type { Findings } from "./problem.ts";

export function checkItem(
  { text, item, nowMs }: { readonly text: string; readonly item: ParsedItem; readonly nowMs: number },
  found: Findings,
): void {
  const lines = splitLines(text);
  const close = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  const bodyStart = close === -1 ? lines.length : close + 1;
  const conflict = conflictAt(lines);
  // What stands between the marks of a merge is no front matter either: one problem is enough.
  if (conflict !== null && conflict <= bodyStart) return reportConflict(itemName, conflict, found);
  const inBody = conflictAt(outsideFences(lines.slice(bodyStart)));
  if (inBody !== null)
    found.warning(
      "conflict_markers",
      itemName,
      "This looks like a merge that was not finished: remove the marks of git, or put them between fences (```) where they are meant.",
      { line: bodyStart + inBody },
    );
  for (const { check, line, message } of item.problems)
    found.error(check, itemName, sentence(message), { line });
  if (item.problems.some(({ check }) => check === "front_matter")) return;
  checkOwn(item, found);
  checkTimes(item, nowMs, found);
  for (const key of Object.keys(item.fields))
    if (obsoleteFields.includes(key))
      found.warning(
        "field_obsolete",
        itemName,
        `${key} is a field of an older format, and means nothing here: remove it, or move it below ${legacyField}.`,
      );
}

function checkOwn({ title, state, created_at, updated_at, problems }: ParsedItem, found: Findings): void {
  for (const [key, value] of Object.entries({ title, state, created_at, updated_at })) {
    const isSaid = problems.some((problem) => problem.key === key);
    if (value === null && !isSaid)
      found.error(
        "field_missing",
        itemName,
        `The front matter does not say ${key}: add it between the --- lines.`,
      );
  }
}

function checkTimes({ created_at, updated_at }: ParsedItem, nowMs: number, found: Findings): void {
  const at = { file: itemName, nowMs };
  const createdMs =
    created_at === null ? null : checkTime({ ...at, what: "created_at", time: created_at }, found);
  const updatedMs =
    updated_at === null ? null : checkTime({ ...at, what: "updated_at", time: updated_at }, found);
  if (createdMs !== null && updatedMs !== null && updatedMs < createdMs)
    found.error(
      "date_order",
      itemName,
      `It was changed (${updated_at}) before it was created (${created_at}): set both right.`,
    );
}

/** A sentence out of its end. */
export function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
