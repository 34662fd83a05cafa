/** What Enter does with nothing written: the same for the key, and for the sentence that stands there. */
import { isGone, type UiState } from "./state.ts";

export type NextOfEnter = "nothing" | "restores" | "shows_calls" | "resumes" | "gives_queue";

export function nextOfEnter(state: UiState): NextOfEnter {
  const { open } = state;
  if (open === null) return "nothing";
  // Whatever else it waits for, a process comes first.
  if (isGone(state)) return "restores";
  const { approvals, link, state: now, queueHeld } = open.session;
  if (approvals.length > 0) return "shows_calls";
  if (link !== "up") return "nothing";
  if (now === "paused") return "resumes";
  return now === "idle" && queueHeld ? "gives_queue" : "nothing";
}
