/** When the terminal looks again by itself: at what counts down, and at the other Pods. */
import type { UiState } from "./state.ts";
import { guardMs } from "./update/approvals.ts";

const second = 1_000;
/** Between two lists of the Pods: while there is something to hear of them, and while there is not. */
const pollMs = { busy: 2_000, idle: 3_000 };

/** Milliseconds until something that is shown is another one without an event; null: nothing is. */
export function nextTickMs(state: UiState): number | null {
  const waits: number[] = state.notices.map(({ untilMs }) => untilMs - state.now);
  const session = state.open?.session;
  if (session !== undefined) {
    const retryAt = session.retry?.at ?? null;
    if (retryAt !== null || session.paused?.until !== undefined || session.approvals.length > 0)
      waits.push(second);
  }
  for (const dialog of state.dialogs)
    if (dialog.kind === "approval") waits.push(dialog.sinceMs + guardMs - state.now);
  const ahead = waits.filter((ms) => ms > 0);
  return ahead.length === 0 ? null : Math.min(...ahead);
}

/** Milliseconds between two lists. */
export function nextPollMs({ pods, open, dialogs }: UiState): number {
  const isShown = dialogs.some(({ kind }) => kind === "pods");
  const isApart = open !== null && open.session.link !== "up";
  const others = (pods ?? []).some(
    ({ name, standing }) => name !== open?.name && standing !== "stopped" && standing !== "corrupt",
  );
  return isShown || isApart || others ? pollMs.busy : pollMs.idle;
}
