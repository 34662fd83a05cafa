/** States of the terminal for tables: over a session that is made of real entries. */
import type { PendingApproval } from "@yoi/protocol";
import { lookOf } from "../../../src/app/look.ts";
import { firstState, newlyOpen, type UiState } from "../../../src/app/state.ts";
import type { Step } from "../../../src/app/step.ts";
import type { UiEventBody } from "../../../src/app/event.ts";
import { update } from "../../../src/app/update.ts";
import type { PodRow } from "../../../src/host.ts";
import { defaultKeys } from "../../../src/keys/key-map.ts";
import type { PodSession } from "../../../src/session/session.ts";
import { defaultTerminalSettings } from "../../../src/settings.ts";
import { themeNamed } from "../../../src/view/themes.ts";

export const start = 1_000_000;
const look = lookOf(themeNamed("none"));

export const noPod: UiState = firstState({
  now: start,
  size: { columns: 80, rows: 24 },
  look,
  autoLook: look,
  settings: defaultTerminalSettings,
  keys: defaultKeys,
  workspace: "/w",
  version: "0.0.0",
});

/** The Pod sim is open and idle. */
export function withPod(session: Partial<PodSession> = {}, from: UiState = noPod): UiState {
  const open = newlyOpen("sim", 1);
  return {
    ...from,
    counter: 1,
    open: { ...open, isAttached: true, session: { ...open.session, link: "up", state: "idle", ...session } },
  };
}

export function approval(digest: string, more: Partial<PendingApproval> = {}): PendingApproval {
  return {
    digest,
    call: "4.0",
    tool: "Bash",
    arguments: JSON.stringify({ command: "rm -r build" }),
    reason: "the mode asks",
    expires: start + 3_600_000,
    ...more,
  };
}

export function row(name: string, more: Partial<PodRow> = {}): PodRow {
  return {
    name,
    title: null,
    standing: "idle",
    detail: "",
    approvals: 0,
    workspace: "/w",
    model: null,
    parent: null,
    usedMs: start,
    lastLine: "",
    bytes: null,
    ...more,
  };
}

/** Much later than anything before it: nothing is guarded any more. */
export function told(state: UiState, event: UiEventBody, now = state.now + 1_000): Step {
  return update(state, { ...event, now });
}

/** Keys by name; a text in quotation marks is typed, and `later` is a pause. */
export function pressed(state: UiState, ...keys: readonly string[]): Step {
  const effects = [];
  let at = state;
  for (const key of keys) {
    if (key === "later") {
      at = told(at, { type: "tick" }).state;
      continue;
    }
    const typed = key.length > 1 && key.startsWith('"') ? key.slice(1, -1).split("") : [key];
    for (const one of typed) {
      const name = one === " " ? "space" : one;
      const text = [...one].length === 1 ? one : null;
      const next = told(at, { type: "input", input: { type: "key", key: name, text } }, at.now + 100);
      at = next.state;
      effects.push(...next.effects);
    }
  }
  return { state: at, effects };
}
