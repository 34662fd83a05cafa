/** Keys while a person writes. */
import { accepted, chosen, closed, enterMeans, isOpen } from "../../composer/completion.ts";
import { continuesLine, edit, isBlank, textOf } from "../../composer/composer.ts";
import { beginSearch, searched, searchShown } from "../../composer/search.ts";
import type { Action } from "../../keys/actions.ts";
import type { InputEvent, KeyEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import { textColumns } from "../../view/composer.ts";
import type { UiState } from "../state.ts";
import { note, openDialog, type Step, step, followed } from "../step.ts";
import { showApprovals } from "./approvals.ts";
import { completes } from "./complete.ts";
import { editOf } from "./edit-of.ts";
import { askOpen, carryOut } from "./intents.ts";
import { modeChoice } from "./modes.ts";
import { nextNeedy, showPods, showTree } from "./pods.ts";
import { showPager, showTranscript } from "./pager.ts";
import { showRewind } from "./rewind.ts";
import { kept, takeBack } from "./send.ts";
import { submits } from "./submit.ts";

/** Two keys that go together are pressed within this time. */
const togetherMs = 2_000;
/** Esc twice: more slowly it is Esc, and another Esc. */
const escapesMs = 600;

export function composerTyped(state: UiState, input: InputEvent): Step {
  const typing = { ...state, typedMs: state.now };
  if (state.search !== null) return searchTyped(typing, input);
  if (input.type === "paste") return edited(typing, { type: "paste", text: input.text });
  const before = state.before !== null && state.before.untilMs > state.now ? state.before.key : null;
  const context = isOpen(state.completion)
    ? "completion"
    : isBlank(state.composer) && state.composer.text === ""
      ? "empty"
      : "composer";
  const action = actionOf(state.keys, context, input, before);
  const ms = input.key === "escape" ? escapesMs : togetherMs;
  const next = { ...typing, before: { key: input.key, untilMs: state.now + ms } };
  if (action !== null) return acts(next, action, input);
  return input.text === null ? step(next) : edited(next, { type: "insert", text: input.text });
}

function edited(state: UiState, what: Parameters<typeof edit>[1]): Step {
  return completes({ ...state, composer: edit(state.composer, what) });
}

function acts(state: UiState, action: Action, input: KeyEvent): Step {
  const what = editOf(action, { columns: textColumns(state.size.columns), history: state.history });
  if (what !== null) return edited(state, what);
  switch (action) {
    case "submit":
      return enters(state);
    case "submit_after_run":
      return state.open?.session.state === "running"
        ? submits(state, "run_end")
        : edited(state, { type: "newline" });
    case "interrupt":
      return interrupts(state);
    case "rewind":
      return isBlank(state.composer) ? showRewind({ ...state, before: null }, false) : interrupts(state);
    case "cancel":
      return cancels(state);
    case "leave":
    case "background":
      return leaves(state);
    case "suspend":
      return step(state, { type: "suspend" });
    case "redraw":
      return step(state, { type: "redraw" });
    case "help":
      return step(showPager(state, "Keys and commands", { of: "help" }));
    case "editor":
      return step(state, { type: "edit", text: textOf(state.composer) });
    case "history_search":
      return step({ ...state, search: beginSearch(state.composer), completion: null });
    case "transcript":
      return state.open === null ? step(note(state, "info", "No Pod is open.")) : showTranscript(state);
    case "tasks":
      return step({ ...state, showsPanels: !state.showsPanels });
    case "verbose":
      return step(
        note(
          { ...state, isVerbose: !state.isVerbose },
          "info",
          state.isVerbose ? "Blocks are folded from here on." : "Blocks are shown whole from here on.",
        ),
      );
    case "permission_mode":
      return step(openDialog(state, modeChoice(state)));
    case "approvals":
      return step(
        state.open?.session.approvals.length
          ? showApprovals(state)
          : note(state, "info", "No call waits for you."),
      );
    case "pods":
      return showPods(state);
    case "tree":
      return showTree(state);
    case "next_needy_pod":
      return nextNeedy(state);
    case "queue_edit":
      return editsQueue(state);
    case "complete":
      return completes({ ...state, completion: null }, true);
    case "completion_accept":
      return accepts(state);
    case "completion_next":
    case "completion_previous":
      return step(
        state.completion === null
          ? state
          : { ...state, completion: chosen(state.completion, action === "completion_next" ? 1 : -1) },
      );
    case "completion_close":
      return step(state.completion === null ? state : { ...state, completion: closed(state.completion) });
    default:
      return input.text === null ? step(state) : edited(state, { type: "insert", text: input.text });
  }
}

function enters(state: UiState): Step {
  switch (enterMeans(state.completion)) {
    case "accept":
      return accepts(state);
    case "accept_and_submit":
      return followed(accepts(state), (now) => submits(now, "boundary"));
    case "submit":
      return continuesLine(state.composer)
        ? edited(state, { type: "continue_line" })
        : submits(state, "boundary");
  }
}

function accepts(state: UiState): Step {
  const { completion } = state;
  if (completion === null) return step(state);
  return completes({ ...state, composer: accepted(completion, state.composer) });
}

function interrupts(state: UiState): Step {
  const { open } = state;
  if (open?.session.state === "running") return askOpen(state, { kind: "cancel" });
  const running = open?.session.blocks.findLast(
    (block) => block.kind === "command" && block.progress === "running",
  );
  if (running !== undefined) return askOpen(state, { kind: "stop_command", id: running.id });
  return step(state);
}

/** Once: clears what is written; with nothing written, stops the run. Twice: leaves. */
function cancels(state: UiState): Step {
  if (!isBlank(state.composer)) {
    const text = "Cleared: undo brings it back. Ctrl-C again leaves, and the Pod goes on.";
    const cleared = edited(note(kept(state, state.composer), "info", text), { type: "clear" });
    return step(cleared.state, { type: "add_history", text: textOf(state.composer) }, ...cleared.effects);
  }
  const said = note(state, "info", "Ctrl-C again leaves, and the Pod goes on.");
  return state.open?.session.state === "running" ? askOpen(said, { kind: "cancel" }) : step(said);
}

/** What is written, for other Pods too, is in the history the next time. */
function leaves(state: UiState): Step {
  const left = carryOut(state, { type: "leave" });
  const drafts = [...Object.values(state.drafts), state.composer].filter((draft) => !isBlank(draft));
  const kept = drafts.map((draft) => ({ type: "add_history", text: textOf(draft) }) as const);
  return step(left.state, ...kept, ...left.effects);
}

function editsQueue(state: UiState): Step {
  const back = takeBack(state);
  if (back !== null) return step(back);
  const last = state.open?.session.queue.at(-1);
  return last === undefined
    ? step(note(state, "info", "Nothing waits."))
    : askOpen(state, { kind: "unqueue", id: last.id });
}

function searchTyped(state: UiState, input: InputEvent): Step {
  const { search } = state;
  if (search === null) return step(state);
  const go = (to: Parameters<typeof searched>[2]) =>
    step({ ...state, search: searched(search, state.history, to) });
  if (input.type === "paste") return go({ type: "type", text: input.text });
  const shown = { ...state, search: null, composer: searchShown(search, state.history) };
  const action = actionOf(state.keys, "search", input);
  switch (action) {
    case "search_older":
      return go({ type: "older" });
    case "search_newer":
      return go({ type: "newer" });
    case "search_accept":
      return step(shown);
    case "search_cancel":
      return step({ ...state, search: null, composer: search.before });
    case "delete_left":
      return go({ type: "erase" });
    case null:
      return input.text === null ? step(state) : go({ type: "type", text: input.text });
    default:
      // Any other key takes what is shown, and does what it does.
      return composerTyped(shown, input);
  }
}
