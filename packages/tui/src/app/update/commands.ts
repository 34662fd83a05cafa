/** Slash commands, carried out. Each does something, or says in one sentence why not. */
import type { PendingApproval, QueuedInput } from "@yoi/protocol";
import { flattenInput } from "@yoi/base";
import type { Command } from "../../commands/command.ts";
import { commandNamed } from "../../commands/table.ts";
import { whyNot } from "../../commands/why-not.ts";
import { composerOf } from "../../composer/composer.ts";
import { choiceOf, item } from "../../dialogs/choice.ts";
import { titleCharsMax } from "@yoi/protocol";
import { lookOf } from "../look.ts";
import { statusText } from "../status-text.ts";
import { isGone, openRow, type UiState } from "../state.ts";
import { themeNamed } from "../../view/themes.ts";
import { note, openDialog, type Step, step } from "../step.ts";
import { showApprovals } from "./approvals.ts";
import { showFirstRun } from "./first-run.ts";
import { askOpen, asksForPage, carryOut, changePod, openingOf } from "./intents.ts";
import { modeChoice } from "./modes.ts";
import { chooseOpen, openPod, restoreQuestion, rowNamed, showPods, showTree } from "./pods.ts";
import { showPager, showTranscript } from "./pager.ts";
import { showRewind } from "./rewind.ts";
import { inputFor, send } from "./send.ts";
import { sendPrompt, startsNew } from "./prompt.ts";

/** Null: it can be carried out now. */
export function whyNotNow(state: UiState, typed: string): string | null {
  const spec = commandNamed(/^[/:]([\w-]+)/.exec(typed)?.[1] ?? "");
  if (spec === null) return null;
  return whyNot(spec, state.open?.session.state ?? null);
}

export function carryOutCommand(state: UiState, command: Command): Step {
  switch (command.kind) {
    case "help":
    case "keys":
      return step(showPager(state, "Keys and commands", { of: "help" }));
    case "status":
      return step(showPager(state, "Status", { of: "text", text: statusText(state) }));
    case "transcript":
      return showTranscript(state);
    case "tasks":
      return step({ ...state, showsPanels: !state.showsPanels });
    case "copy":
      return copyAnswer(state);
    case "setup":
      return showFirstRun(state, "Choose who has the model.");
    case "quit":
      return carryOut(state, { type: "leave" });
    case "page":
      return asksForPage(state, command.page);
    case "say":
      return step(note(state, "info", command.sentence));
    case "prompt":
      return sendPrompt(state, composerOf(command.text));
    case "notify":
      return send(
        state,
        { as: "notify", message: command.message },
        composerOf(`/notify ${command.message}`),
      );
    case "queue":
      return send(state, inputFor(composerOf(command.text), "running", "run_end"), composerOf(command.text));
    case "pods":
      return showPods(state);
    case "tree":
      return showTree(state);
    case "grants":
      return step(openingOf(state, "grants"), { type: "list_grants" });
    case "revoke":
      return step(state, { type: "revoke", id: command.id });
    case "pause":
    case "cancel":
    case "compact":
    case "undo_compaction":
      return askOpen(state, { kind: command.kind });
    case "rewind":
    case "undo":
      return showRewind(state, command.kind === "undo");
    case "fork":
      return carryOut(state, { type: "fork", name: state.open?.name ?? "" });
    case "export":
      return step(note(state, "info", "Writing it ..."), { type: "export", name: state.open?.name ?? "" });
    case "show_queue":
      return showQueue(state);
    case "unqueue":
      return unqueue(state, command.nth);
    case "new":
      return newPod(state, command.name);
    case "open":
      return openNamed(state, command.name);
    case "resume":
      return command.name === null ? resumes(state) : openNamed(state, command.name);
    case "send":
      return step(note(state, "info", `Sending it to ${command.name} ...`), {
        type: "send_other",
        name: command.name,
        text: command.text,
      });
    case "stop":
      return withName(state, command.name, (name) => carryOut(state, { type: "stop", name }));
    case "restore":
      return withName(state, command.name, (name) =>
        carryOut(state, { type: "restore", name, resume: false, opens: true }),
      );
    case "title":
      return setTitle(state, command.title);
    case "model":
      return command.value === null
        ? step(openingOf(state, "providers"), { type: "list_providers", for: "choice" })
        : changePod(state, { model: command.value });
    case "permissions":
      return command.value === null
        ? step(openDialog(state, modeChoice(state)))
        : changePod(state, { permissionMode: command.value });
    case "sandbox":
      return changePod(state, { sandbox: command.value });
    case "theme":
      return setTheme(state, command.theme);
    case "screen":
      return setScreen(state, command.screen);
    case "approve":
      return approve(state, command.id);
    case "deny":
      return deny(state, command.id, command.reason);
  }
}

function withName(state: UiState, name: string | null, act: (name: string) => Step): Step {
  const meant = name ?? state.open?.name ?? null;
  return meant === null ? step(note(state, "warn", "No Pod is open: say which one is meant.")) : act(meant);
}

function openNamed(state: UiState, name: string): Step {
  const row = rowNamed(state, name);
  if (row !== null) return chooseOpen(state, row);
  return openPod(state, name);
}

/** A paused run goes on; where there is none, another Pod is chosen. */
function resumes(state: UiState): Step {
  const { open } = state;
  if (open === null) return showPods(state);
  if (isGone(state))
    return step(openDialog(state, restoreQuestion(openRow(state) ?? { name: open.name, detail: "" })));
  if (open.session.state === "running") return step(note(state, "info", "The run goes on."));
  return askOpen(state, { kind: "resume" });
}

function newPod(state: UiState, name: string | null): Step {
  const stays = state.open === null ? "" : ` ${state.open.name} stays as it is: /pods shows it.`;
  return startsNew(note(state, "info", `Starting a new Pod ...${stays}`), name, state.choices);
}

function copyAnswer(state: UiState): Step {
  const answer = state.open?.session.blocks.findLast(({ kind }) => kind === "answer");
  if (answer?.kind !== "answer") return step(note(state, "info", "There is no answer yet."));
  const said = `The last answer, ${[...answer.text].length} characters, goes to the clipboard.`;
  return step(note(state, "info", said), { type: "copy", text: answer.text });
}

function setTitle(state: UiState, title: string | null): Step {
  if (title !== null && title.length > titleCharsMax)
    return step(
      note(state, "warn", `A title has at most ${titleCharsMax} characters, and this one ${title.length}.`),
    );
  return askOpen(state, { kind: "set_title", title });
}

function setTheme(state: UiState, theme: UiState["settings"]["theme"] | null): Step {
  if (theme === null)
    return step(
      note(state, "info", `The theme is ${state.settings.theme}: /theme takes auto, dark, light or none.`),
    );
  // What the terminal's background is, is asked for when it is taken.
  const look = theme === "auto" ? state.autoLook : lookOf(themeNamed(theme));
  return step({ ...state, look, settings: { ...state.settings, theme } }, { type: "redraw" });
}

function setScreen(state: UiState, screen: UiState["settings"]["screen"] | null): Step {
  if (screen === null)
    return step(
      note(state, "info", `The screen is ${state.settings.screen}: /screen takes main or alternate.`),
    );
  return step({ ...state, settings: { ...state.settings, screen } });
}

function showQueue(state: UiState): Step {
  const queue = state.open?.session.queue ?? [];
  if (queue.length === 0) return step(note(state, "info", "Nothing waits."));
  const items = queue.map(({ id, when, parts }) =>
    item(
      flattenInput(parts),
      { type: "unqueue", id },
      when === "boundary" ? "with the next request" : "when the run is over",
    ),
  );
  return step(openDialog(state, choiceOf("What waits: Enter takes it back into the composer", items)));
}

function unqueue(state: UiState, nth: number | null): Step {
  const queue = state.open?.session.queue ?? [];
  const found: QueuedInput | undefined = nth === null ? queue.at(-1) : queue[nth - 1];
  if (found !== undefined) return askOpen(state, { kind: "unqueue", id: found.id });
  const many = queue.length === 0 ? "Nothing waits." : `Only ${queue.length} wait: /queue shows them.`;
  return step(note(state, "warn", many));
}

function approve(state: UiState, id: string | null): Step {
  const pending = state.open?.session.approvals ?? [];
  if (id === null) {
    const next = showApprovals(state);
    return step(pending.length === 0 ? note(next, "info", "No call waits for you.") : next);
  }
  return withCall(state, id, ({ digest }) =>
    askOpen(answered(state, digest), { kind: "answer_approval", params: { digest, answer: "allow" } }),
  );
}

function deny(state: UiState, id: string | null, reason: string): Step {
  return withCall(state, id, ({ digest }) =>
    askOpen(answered(state, digest), { kind: "answer_approval", params: { digest, answer: "deny", reason } }),
  );
}

function answered(state: UiState, digest: string): UiState {
  return state.open === null
    ? state
    : { ...state, open: { ...state.open, answered: [...state.open.answered, digest] } };
}

function withCall(state: UiState, id: string | null, act: (call: PendingApproval) => Step): Step {
  const pending = state.open?.session.approvals ?? [];
  const meant = id === null ? pending : pending.filter(({ digest }) => digest.startsWith(id));
  const [only, ...others] = meant;
  if (only === undefined)
    return step(note(state, "warn", id === null ? "No call waits for you." : `No call waits under ${id}.`));
  if (others.length > 0)
    return step(
      note(state, "warn", "Several calls wait: say which one by its id, or answer them in their dialogs."),
    );
  return act(only);
}
