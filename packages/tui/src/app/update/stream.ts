/** What the stream of the open Pod comes to: its session folded on, and what a person is told of beside it. */
import { flattenInput, isKnown, type LogEntry } from "@yoi/base";
import { composerOfParts, isBlank } from "../../composer/composer.ts";
import type { SessionEvent } from "../../session/session.ts";
import { updateSession } from "../../session/update-session.ts";
import type { Effect } from "../effect.ts";
import type { OpenPod, UiState } from "../state.ts";
import { changeOpen, note, type Step, step, followed } from "../step.ts";
import { answersLost } from "./approvals.ts";
import { goneText, sendWaiting } from "./send.ts";

export function streamed(state: UiState, attachment: number, event: SessionEvent): Step {
  const { open } = state;
  if (open === null || open.attachment !== attachment) return step(state);
  const session = updateSession(open.session, event, state.now);
  const next: OpenPod = { ...open, session, ...viewingOf(state, open, event) };
  const told =
    event.type === "entry"
      ? toldOfEntry({ ...state, open: next }, open, event.entry)
      : { ...state, open: next };
  const counted = next.viewing === open.viewing ? told : { ...told, counter: told.counter + 1 };
  const ended =
    event.type === "live" && event.live.type === "run_failed"
      ? note(counted, "error", `The run failed: ${event.live.message}`)
      : counted;
  const there = next.session.link === "up" && open.session.link !== "up" ? backAgain(ended, open) : ended;
  const isLost = event.type === "disconnected" || event.type === "ended";
  const known = isLost ? answersLost(there) : there;
  return followed(step(known, ...attention(known, open, next)), (now) => {
    // Whether its process has ended is for the list to say.
    if (isLost) return step(now, { type: "list_pods" });
    if (next.session.link !== "up") return step(now);
    // After a loss the list may say that its process has ended.
    const listed = open.session.link !== "up" ? step(now, { type: "list_pods" }) : step(now);
    return followed(listed, sendWaiting);
  });
}

/** That its process has ended is true no longer. */
function backAgain(state: UiState, { name }: OpenPod): UiState {
  const gone = goneText(name);
  return { ...state, notices: state.notices.filter(({ text }) => text !== gone) };
}

/** What was shown of a log that is another one now does not count. */
function viewingOf(state: UiState, open: OpenPod, event: SessionEvent): Partial<OpenPod> {
  return event.type === "restarted" && open.session.blocks.length > 0 ? { viewing: state.counter + 1 } : {};
}

function toldOfEntry(state: UiState, before: OpenPod, entry: LogEntry): UiState {
  if (!isKnown(entry) || before.session.link !== "up") return state;
  switch (entry.kind) {
    case "turn_rolled_back":
      return givenBack(state, before, entry.from_seq);
    case "approval_answered": {
      const isOwn = before.answered.includes(entry.digest);
      const wasShown = state.dialogs.some((one) => one.kind === "approval" && one.digest === entry.digest);
      if (isOwn || !wasShown || entry.allowed_by !== undefined) return state;
      const words = entry.answer === "allow" ? "allowed" : "denied";
      return note(state, "info", `The call was ${words} from elsewhere.`);
    }
    default:
      return state;
  }
}

/** The input of a run that was taken back: into the composer where nothing is written there. What of it had waited waits again, and is not given twice. */
function givenBack(state: UiState, { session }: OpenPod, fromSeq: number): UiState {
  const given = session.held.inputs.filter(({ seq, waited }) => seq > fromSeq && !waited);
  const taken = session.blocks.filter((block) => given.some(({ id }) => id === block.id));
  const parts = taken.flatMap((block, at) =>
    block.kind !== "input"
      ? []
      : at === 0
        ? block.parts
        : [{ type: "text" as const, text: "\n" }, ...block.parts],
  );
  if (flattenInput(parts).trim() === "") return state;
  if (isBlank(state.composer)) return { ...state, composer: composerOfParts(parts) };
  return note(
    state,
    "info",
    "The run was stopped before the model began: what you sent is in the history (Up).",
  );
}

/** A person who looks elsewhere hears that a run ended, and that something waits. */
function attention(state: UiState, before: OpenPod, after: OpenPod): readonly Effect[] {
  if (state.isFocused || !state.settings.bell || before.session.link !== "up") return [];
  const { name } = after;
  if (after.session.approvals.length > before.session.approvals.length)
    return [{ type: "notify", text: `${name} waits for your answer` }];
  if (before.session.state === "running" && after.session.state !== "running")
    return [
      { type: "notify", text: after.session.state === "paused" ? `${name} is paused` : `${name} is done` },
    ];
  return [];
}

/** A reply of the connection to `attach`. */
export function attached(state: UiState, attachment: number): Step {
  if (state.open?.attachment !== attachment) return step(state, { type: "detach", attachment });
  return step(changeOpen({ ...state, waitingFor: null }, { isAttached: true }));
}
