/** UiState: all that the terminal shows and knows. What a Pod is comes from its stream alone; the rest is what the person is doing. */
import type { SkillOffer } from "@yoi/protocol";
import { type Composer, emptyComposer } from "../composer/composer.ts";
import type { Completion } from "../composer/completion.ts";
import type { History } from "../composer/history.ts";
import type { Search } from "../composer/search.ts";

import type { Dialog } from "../dialogs/dialog.ts";
import type { PodRow, StartChoices } from "../host.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { PodSession } from "../session/session.ts";
import { emptySession } from "../session/empty-session.ts";
import type { TerminalSettings } from "../settings.ts";
import type { ScreenSize } from "../view/line.ts";
import type { Sendable } from "./effect.ts";
import type { Look } from "./look.ts";

/** Something that was sent and is not known to be on record: it is shown, and comes back to the composer where it is refused. */
export interface Sending {
  readonly n: number;
  readonly what: Sendable;
  /** As it was typed. */
  readonly composer: Composer;
  /** False: it waits for the Pod to be reached. */
  readonly isOut: boolean;
}

/** Whom something is for: a Pod, or the one that comes of a start. */
export type Addressee = { readonly pod: string } | { readonly start: number };

/** A prompt for a Pod that is not there yet. */
export interface Unsent {
  readonly to: Addressee;
  readonly composer: Composer;
}

/** What is waited for: it opens by itself when it is there, unless something else was typed or opened meanwhile. */
export interface Waiting {
  readonly text: string;
  readonly to: Addressee;
  readonly sinceMs: number;
}

/** Something to look at that was asked for last: it opens when it is there, unless something else was typed or opened meanwhile. */
export interface Opening {
  readonly of: "page" | "providers" | "grants";
  /** The one that was open. */
  readonly pod: string | null;
  readonly sinceMs: number;
}

/** What was sent to a Pod that did not answer: sent again as it is, it is the same submission. */
export interface Unanswered {
  readonly n: number;
  readonly pod: string;
  readonly text: string;
}

/** A Pod that was left while something was on its way to it. */
export interface Away {
  readonly name: string;
  readonly attachment: number;
  readonly sending: readonly Sending[];
}

export interface OpenPod {
  readonly name: string;
  /** Of this connecting: what comes from an earlier one is late, and dropped. */
  readonly attachment: number;
  readonly isAttached: boolean;
  readonly session: PodSession;
  /** Another one where what was shown of the Pod no longer counts. */
  readonly viewing: number;
  readonly sending: readonly Sending[];
  /** Digests of calls that the person does not want to answer now. */
  readonly aside: readonly string[];
  /** Those whose answer is on its way from here: that it was given elsewhere needs no saying. */
  readonly answered: readonly string[];
}

export interface Notice {
  readonly level: "info" | "warn" | "error";
  readonly text: string;
  readonly untilMs: number;
}

/** The key that was pressed last, for as long as another one goes with it. */
export interface Before {
  readonly key: string;
  readonly untilMs: number;
}

/** How the terminal is left. */
export type UiEnd =
  | { readonly kind: "left"; readonly pod: string | null }
  | { readonly kind: "failed"; readonly message: string };

export interface UiState {
  readonly now: number;
  readonly size: ScreenSize;
  readonly isFocused: boolean;
  readonly look: Look;
  /** For a theme that goes by the terminal. */
  readonly autoLook: Look;
  readonly settings: TerminalSettings;
  readonly keys: KeyMap;
  readonly workspace: string;
  readonly version: string;
  readonly open: OpenPod | null;
  /** What is waited for where no Pod is open: it is started, restored, or looked for. */
  readonly waitingFor: Waiting | null;
  readonly opening: Opening | null;
  /** How a new Pod is started when the first prompt is there. */
  readonly choices: StartChoices;
  readonly newName: string | null;
  /** Of a new Pod of this workspace, when they were looked for last. */
  readonly skills: readonly SkillOffer[];
  /** What is sent to a Pod once it is there. */
  readonly unsent: readonly Unsent[];
  /** The oldest go. */
  readonly unanswered: readonly Unanswered[];
  /** What Pods that were left did not answer yet. */
  readonly away: readonly Away[];
  /** What is in the composer is sent when it is known that a model can be asked. */
  readonly sendsFirst: boolean;
  /** A line that names what is unknown: it is read again when skills were looked for, if it stands there then. */
  readonly readAgain: { readonly composer: Composer; readonly when: "boundary" | "run_end" } | null;
  /** Whether a model can be asked is not known yet. */
  readonly looksForModel: boolean;
  readonly counter: number;
  readonly composer: Composer;
  /** Of Pods that are not open, by name. */
  readonly drafts: Readonly<Record<string, Composer>>;
  readonly completion: Completion | null;
  readonly search: Search | null;
  readonly history: History;
  readonly dialogs: readonly Dialog[];
  /** Null: they were not listed yet. */
  readonly pods: readonly PodRow[] | null;
  readonly notices: readonly Notice[];
  readonly before: Before | null;
  readonly showsPanels: boolean;
  /** Blocks are shown whole. */
  readonly isVerbose: boolean;
  /** The last key that was typed in the composer, in milliseconds since the epoch. */
  readonly typedMs: number;
  readonly end: UiEnd | null;
}

export const lookingForModel = "looking for the model ...";

export interface FirstState {
  readonly now: number;
  readonly size: ScreenSize;
  readonly look: Look;
  /** For a theme that goes by the terminal. */
  readonly autoLook: Look;
  readonly settings: TerminalSettings;
  readonly keys: KeyMap;
  readonly workspace: string;
  readonly version: string;
}

export function firstState(first: FirstState): UiState {
  return {
    ...first,
    isFocused: true,
    open: null,
    waitingFor: null,
    opening: null,
    choices: {},
    newName: null,
    skills: [],
    unsent: [],
    unanswered: [],
    away: [],
    sendsFirst: false,
    readAgain: null,
    looksForModel: false,
    counter: 0,
    composer: emptyComposer,
    drafts: {},
    completion: null,
    search: null,
    history: [],
    dialogs: [],
    pods: null,
    notices: [],
    before: null,
    showsPanels: true,
    isVerbose: false,
    typedMs: 0,
    end: null,
  };
}

export function newlyOpen(name: string, attachment: number): OpenPod {
  return {
    name,
    attachment,
    isAttached: false,
    session: emptySession(name),
    viewing: attachment,
    sending: [],
    aside: [],
    answered: [],
  };
}

/** The row of the open Pod, where the Pods were listed. */
export function openRow(state: UiState): PodRow | null {
  return state.pods?.find(({ name }) => name === state.open?.name) ?? null;
}

/** What a prompt can load: what the open Pod tells of, and what came since where it reads the same folders; else what a new one would. */
export function skillsOf({ open, skills, workspace, version }: UiState): readonly SkillOffer[] {
  const about = open?.session.about ?? null;
  if (about === null) return skills;
  const told = about.skills ?? [];
  if (about.workspace !== workspace || about.version !== version) return told;
  return [...told, ...skills.filter(({ name }) => !told.some((one) => one.name === name))];
}

/** Its process has ended: there is nothing to wait for. */
export function isGone(state: UiState): boolean {
  const { open } = state;
  if (open === null) return false;
  const isApart = open.session.link === "ended" || open.session.link === "lost" || !open.isAttached;
  return isApart && openRow(state)?.standing === "stopped";
}

export function isSameAddressee(a: Addressee, b: Addressee): boolean {
  if ("pod" in a) return "pod" in b && a.pod === b.pod;
  return "start" in b && a.start === b.start;
}

/** Nobody typed or opened anything since. */
export function isUndisturbed({ typedMs, dialogs }: UiState, sinceMs: number): boolean {
  return typedMs <= sinceMs && dialogs.length === 0;
}

/** The Pods that wait for the user, without the open one. */
export function needyPods(state: UiState): readonly PodRow[] {
  return (state.pods ?? []).filter(
    ({ name, approvals, standing }) => name !== state.open?.name && (approvals > 0 || standing === "waiting"),
  );
}
