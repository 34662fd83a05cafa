/** What a killed `create` leaves: no ticket, and the only thing that is ever taken away unasked. So it has to be nothing but that, to the letter. */
import { temporaryOf } from "@yoi/host";
import type { FoundPath } from "./doctor/survey.ts";
import { itemName, threadName } from "./place.ts";
import type { ParsedThread } from "./thread.ts";

/** It holds nothing but the event that each ticket begins with, as it was written: nothing that anybody said. */
export function isBegunThread(text: string, { preamble, events, problems }: ParsedThread): boolean {
  if (text === "") return true;
  const [first, ...more] = events;
  if (first === undefined || more.length > 0 || preamble !== "" || problems.length > 0) return false;
  return first.event.kind === "create" && first.sum === "good" && first.event.body === "";
}

/** Nothing stands in the folder but what comes before item.md, which is what makes a ticket of it. */
export function isBegunFolder(paths: readonly FoundPath[]): boolean {
  return paths.every(
    ({ path, kind }) =>
      kind === "file" && (path === threadName || [itemName, threadName].includes(temporaryOf(path) ?? "")),
  );
}
