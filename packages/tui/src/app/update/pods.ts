/** Several Pods: the open one, switching to another, and what becomes of those that are started, restored, stopped and forked. */
import type { PodRow } from "../../host.ts";
import { emptyComposer, isBlank } from "../../composer/composer.ts";
import { emptyList } from "../../dialogs/list.ts";
import { item, question } from "../../dialogs/choice.ts";
import { updateSession } from "../../session/update-session.ts";
import type { Effect } from "../effect.ts";
import type { AfterFork } from "../intent.ts";
import type { UiEventBody } from "../event.ts";
import {
  type Addressee,
  isGone,
  isSameAddressee,
  isUndisturbed,
  newlyOpen,
  needyPods,
  openRow,
  type UiState,
} from "../state.ts";
import { changeOpen, note, openDialog, type Step, step } from "../step.ts";
import { draftOf, goneText, unsentBack } from "./send.ts";

/** Leaves the open Pod, which goes on, with what is written for it as its draft. */
export function openPod(state: UiState, name: string): Step {
  const { open } = state;
  if (open?.name === name && open.session.link !== "ended") return step({ ...state, dialogs: [] });
  if (open?.name === name) return reattach({ ...state, dialogs: [] });
  const left = leaveOpen(state);
  const attachment = left.state.counter + 1;
  const next: UiState = {
    ...left.state,
    counter: attachment,
    open: newlyOpen(name, attachment),
    composer: left.state.drafts[name] ?? emptyComposer,
    notices: left.state.notices.filter(({ text }) => text !== waitsText(name)),
    completion: null,
    search: null,
    dialogs: [],
    waitingFor: null,
  };
  return step(
    next,
    ...left.effects,
    { type: "attach", attachment, name, after: null },
    { type: "list_pods" },
  );
}

/** No Pod is open then. */
function leaveOpen(state: UiState): Step {
  const { open } = state;
  if (open === null) return step(state);
  const draft = draftOf(state, open);
  const others = Object.entries(state.drafts).filter(([name]) => name !== open.name);
  const drafts = Object.fromEntries(isBlank(draft) ? others : [...others, [open.name, draft] as const]);
  const sending = open.sending.filter(({ isOut }) => isOut);
  const away =
    sending.length === 0
      ? state.away
      : [...state.away, { name: open.name, attachment: open.attachment, sending }];
  return step(
    { ...state, open: null, drafts, away, composer: emptyComposer },
    { type: "detach", attachment: open.attachment },
  );
}

/** Connects again behind what is known, where no other connection is tried. */
function reattach(state: UiState): Step {
  const { open } = state;
  if (open === null) return step(state);
  const attachment = state.counter + 1;
  // What was on its way over the connection that ended was answered with that.
  const next = changeOpen(
    { ...state, counter: attachment, waitingFor: null },
    { attachment, isAttached: false },
  );
  return step(
    next,
    { type: "detach", attachment: open.attachment },
    { type: "attach", attachment, name: open.name, after: open.session.cursor },
  );
}

/** The Pod could not be reached. */
export function notAttached(state: UiState, attachment: number, why: string): Step {
  const { open } = state;
  if (open === null || open.attachment !== attachment) return step(state);
  const session = updateSession(open.session, { type: "ended", why }, state.now);
  const ended = changeOpen({ ...state, waitingFor: null }, { session });
  return step(note(unsentBack(ended, { pod: open.name }), "error", why), { type: "list_pods" });
}

/** From a list: one that no process hosts is asked about first. */
export function chooseOpen(state: UiState, row: PodRow): Step {
  switch (row.standing) {
    case "running":
    case "waiting":
    case "paused":
    case "idle":
    case "silent":
      return openPod(state, row.name);
    case "stopped":
      return step(openDialog(state, restoreQuestion(row)));
    case "corrupt":
      return step(
        note(
          state,
          "error",
          `${row.name} cannot be read: ${row.detail === "" ? "its records are damaged" : row.detail}. \`yoi doctor\` says more.`,
        ),
      );
  }
}

export function restoreQuestion({ name, detail }: Pick<PodRow, "name" | "detail">) {
  return question(`${name} is stopped`, detail === "" ? [] : [detail], [
    item(
      "Start it again",
      { type: "restore", name, resume: false, opens: true },
      "what it was doing stays paused",
    ),
    item("Start it and go on with its run", { type: "restore", name, resume: true, opens: true }),
    item("Leave it", { type: "nothing" }),
  ]);
}

export function started(
  state: UiState,
  { ticket, name, warnings }: Extract<UiEventBody, { readonly type: "started" }>,
): Step {
  const to = { start: ticket };
  const unsent = state.unsent.map((one) =>
    isSameAddressee(one.to, to) ? { ...one, to: { pod: name } } : one,
  );
  const named = withWarnings({ ...state, unsent }, warnings);
  if (!opensByItself(state, to)) return isUp(named, name, to);
  // What was written for it is on its way already.
  const { composer } = state;
  const opened = openPod(named, name);
  const own = state.open === null ? { ...opened.state, composer } : opened.state;
  return { state: own, effects: opened.effects };
}

/** Not where something else was typed or opened since: it would take the keyboard. */
function opensByItself(state: UiState, to: Addressee): boolean {
  const { waitingFor, open, dialogs } = state;
  if (waitingFor === null || !isSameAddressee(waitingFor.to, to)) return false;
  // What is typed where no Pod is open is for the one that is waited for.
  return open === null ? dialogs.length === 0 : isUndisturbed(state, waitingFor.sinceMs);
}

/** Said, where it does not open by itself. */
function isUp(state: UiState, name: string, to: Addressee): Step {
  const { unsent, waitingFor } = state;
  const waits = unsent.some((one) => "pod" in one.to && one.to.pod === name);
  const then = waits ? ", and what you wrote for it is sent then" : "";
  const isOver = waitingFor !== null && isSameAddressee(waitingFor.to, to);
  const next = isOver ? { ...state, waitingFor: null } : state;
  return step(note(next, "info", `${name} is up: Alt-P opens it${then}.`), { type: "list_pods" });
}

export function restored(
  state: UiState,
  {
    name,
    opens,
    warnings,
  }: { readonly name: string; readonly opens: boolean; readonly warnings: readonly string[] },
): Step {
  const notices = state.notices.filter(({ text }) => text !== startingText(name));
  const warned = withWarnings({ ...state, notices }, warnings);
  if (state.open?.name === name)
    return state.open.session.link === "ended" || !state.open.isAttached
      ? reattach(warned)
      : step({ ...warned, waitingFor: null }, { type: "list_pods" });
  if (!opens) return step(note(warned, "info", `${name} is started again.`), { type: "list_pods" });
  return opensByItself(state, { pod: name }) ? openPod(warned, name) : isUp(warned, name, { pod: name });
}

/** True until it is up. */
export function startingText(name: string): string {
  return `Starting ${name} ...`;
}

function withWarnings(state: UiState, warnings: readonly string[]): UiState {
  return warnings.reduce((so, warning) => note(so, "warn", warning), state);
}

function waitsText(name: string): string {
  return `${name} waits for you: Alt-N opens it.`;
}

/** The list came: who began to wait for the user since the last one is said. */
export function listed(state: UiState, rows: readonly PodRow[]): Step {
  const before = state.pods;
  const listedNow = { ...state, pods: rows, dialogs: withoutRestoring(state.dialogs, rows) };
  // Who waited and was answered elsewhere waits no longer.
  const needy = needyPods(listedNow);
  const over = new Set(rows.filter((row) => !needy.includes(row)).map(({ name }) => waitsText(name)));
  const known = { ...listedNow, notices: state.notices.filter(({ text }) => !over.has(text)) };
  const next =
    isGone(known) && !isGone(state) ? note(known, "warn", goneText(state.open?.name ?? "")) : known;
  if (before === null) return step(next);
  const waited = new Map(before.map(({ name, approvals }) => [name, approvals]));
  const news = needyPods(next).filter(({ name, approvals, standing }) => {
    const old = before.find((row) => row.name === name);
    return approvals > (waited.get(name) ?? 0) || (standing === "waiting" && old?.standing !== "waiting");
  });
  const noted = news.reduce<UiState>((so, { name }) => note(so, "warn", waitsText(name)), next);
  const effects: Effect[] =
    state.isFocused || !state.settings.bell
      ? []
      : news.map(({ name }) => ({ type: "notify", text: `${name} waits for you` }));
  return step(noted, ...effects);
}

/** Nobody is asked any more whether to start a Pod that is not stopped. */
function withoutRestoring(dialogs: UiState["dialogs"], rows: readonly PodRow[]): UiState["dialogs"] {
  const others = new Set(rows.flatMap(({ name, standing }) => (standing === "stopped" ? [] : [name])));
  return dialogs.filter(
    (dialog) =>
      dialog.kind !== "choice" ||
      !dialog.items.some(({ intent }) => intent.type === "restore" && others.has(intent.name)),
  );
}

export function nextNeedy(state: UiState): Step {
  const [first] = needyPods(state);
  if (first === undefined)
    return step(note(state, "info", "No other Pod waits for you."), { type: "list_pods" });
  return chooseOpen(state, first);
}

export function showPods(state: UiState): Step {
  return step(openDialog(state, { kind: "pods", list: emptyList }), { type: "list_pods" });
}

export function showTree(state: UiState): Step {
  return step(openDialog(state, { kind: "tree", rows: null, list: emptyList }), { type: "list_tree" });
}

/** What else can be done with a Pod of a list. */
export function actionsOf(row: PodRow) {
  const { name, standing } = row;
  const isLive =
    standing === "running" || standing === "waiting" || standing === "paused" || standing === "idle";
  const items = [
    item(
      "Open it",
      standing === "stopped" ? { type: "restore", name, resume: false, opens: true } : { type: "open", name },
    ),
    ...(isLive ? [item("Send it a message without opening it", { type: "ask_message", name })] : []),
    ...(standing === "running"
      ? [item("Pause its run", { type: "pause", name }), item("Cancel its run", { type: "cancel", name })]
      : []),
    ...(standing === "paused" ? [item("Go on with its run", { type: "resume", name })] : []),
    ...(standing === "waiting" ? [item("Answer the call that waits", { type: "open", name })] : []),
    ...(isLive || standing === "silent"
      ? [item("Stop its process", { type: "stop", name }, "it can be restored")]
      : []),
    ...(standing === "stopped"
      ? [item("Start it without opening it", { type: "restore", name, resume: false, opens: false })]
      : []),
    ...(standing === "corrupt"
      ? []
      : [item("Fork it", { type: "fork", name }), item("Give it a title", { type: "ask_title", name })]),
  ] as const;
  return question(name, row.detail === "" ? [] : [row.detail], items);
}

/** While the first one lives it holds what it may write. */
export function forkQuestion(name: string) {
  const fork = (next: AfterFork) => ({ type: "fork", name, next }) as const;
  return question(
    `Fork ${name}`,
    [`${name} lives, and two Pods cannot write the same files.`],
    [
      item("Open the new one now, read-only", fork("opens_read_only"), `${name} goes on`),
      item(`Stop ${name}, and go on in the new one`, fork("opens_instead"), `${name} can be restored`),
      item("Only make it, and keep it stopped", fork("stays"), "the list has it"),
    ],
  );
}

export function rowNamed(state: UiState, name: string): PodRow | null {
  return state.pods?.find((row) => row.name === name) ?? (state.open?.name === name ? openRow(state) : null);
}
