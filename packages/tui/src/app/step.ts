/** Step: what one event comes to: another state, and what is to be done. The helpers that every concern of `update/` uses. */
import type { Dialog } from "../dialogs/dialog.ts";
import type { Effect } from "./effect.ts";
import type { Notice, OpenPod, UiState } from "./state.ts";

export interface Step {
  readonly state: UiState;
  readonly effects: readonly Effect[];
}

export function step(state: UiState, ...effects: readonly Effect[]): Step {
  return { state, effects };
}

/** One after the other. */
export function followed(first: Step, next: (state: UiState) => Step): Step {
  const second = next(first.state);
  if (second.effects.length === 0) return { state: second.state, effects: first.effects };
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

/** How long a sentence stays. */
const noticeMs = { info: 6_000, warn: 12_000, error: 20_000 } as const;
/** Sentences that are shown at once: the oldest go. */
export const noticesMax = 3;

/** Shows a sentence above the composer for a while; the same one again stays once. */
export function note(state: UiState, level: Notice["level"], text: string): UiState {
  const others = state.notices.filter((notice) => notice.text !== text);
  const notice: Notice = { level, text, untilMs: state.now + noticeMs[level] };
  return { ...state, notices: [...others, notice].slice(-noticesMax) };
}

export function topDialog(state: UiState): Dialog | null {
  return state.dialogs.at(-1) ?? null;
}

export function openDialog(state: UiState, dialog: Dialog): UiState {
  return { ...state, dialogs: [...state.dialogs, dialog] };
}

export function closeDialog(state: UiState): UiState {
  return { ...state, dialogs: state.dialogs.slice(0, -1) };
}

/** In the place of the one on top. */
export function changeDialog(state: UiState, dialog: Dialog): UiState {
  return { ...state, dialogs: [...state.dialogs.slice(0, -1), dialog] };
}

export function changeOpen(state: UiState, change: Partial<OpenPod>): UiState {
  return state.open === null ? state : { ...state, open: { ...state.open, ...change } };
}
