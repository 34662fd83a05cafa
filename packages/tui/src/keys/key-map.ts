/** Key map: what each key does in each context, from the defaults and what the user binds otherwise. */
import { escapeControls, type KeyConfig, nearest } from "@yoi/base";
import {
  type Action,
  actionSpecs,
  actions,
  contextBehind,
  isAction,
  type KeyContext,
  keyContexts,
  typingContexts,
} from "./actions.ts";
import type { KeyEvent } from "./key-event.ts";
import { isTyping, keyNames, keySequenceOf, shownKey } from "./key-name.ts";

export interface KeyMap {
  /** Of each context alone: action by key, or by two keys with a space between them. */
  readonly bound: Readonly<Record<KeyContext, ReadonlyMap<string, Action>>>;
}

/** @param config as the user writes it: keys of an action instead of its defaults; none: it has no key. What is wrong in it is left out and said, one sentence each. */
export function keyMapOf(config: KeyConfig): { readonly map: KeyMap; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const bound = emptyBound();
  const own = ownKeys(config, problems);
  for (const action of actions) {
    if (own.has(action)) continue;
    for (const context of keyContexts) {
      for (const key of actionSpecs[action].keys[context] ?? []) bound[context].set(key, action);
    }
  }
  /** By context and key, who bound it. */
  const given = new Map<string, Action>();
  for (const [action, keys] of own) {
    for (const context of contextsOf(action)) {
      for (const key of keys) {
        if (!mayBeBound(key, context)) continue;
        const before = given.get(`${context} ${key}`);
        if (before !== undefined && before !== action) {
          problems.push(
            `terminal.keys.${action}: "${shownKey(key)}" is bound to ${before} too: it is ${action} now.`,
          );
        }
        given.set(`${context} ${key}`, action);
        bound[context].set(key, action);
      }
    }
  }
  // Twice: what the first gets back may be all that another one was bound to, which has its own again then.
  for (const action of [...essential, ...essential]) problems.push(...giveBack(action, bound));
  return { map: { bound }, problems: [...new Set(problems)] };
}

function emptyBound(): Record<KeyContext, Map<string, Action>> {
  return {
    composer: new Map(),
    empty: new Map(),
    completion: new Map(),
    search: new Map(),
    list: new Map(),
    pager: new Map(),
    choice: new Map(),
  };
}

/** Without these nothing is sent, and nothing that is open can be left. */
export const essential: readonly Action[] = [
  "submit",
  "cancel",
  "list_choose",
  "list_close",
  "pager_close",
  "choice_take",
  "choice_close",
  "choice_page_down",
];

/** Where other actions took all its keys, it has its own again. */
function giveBack(action: Action, bound: Record<KeyContext, Map<string, Action>>): readonly string[] {
  return contextsOf(action).flatMap((context) => {
    const map = bound[context];
    if ([...map.values()].includes(action)) return [];
    const [key = ""] = actionSpecs[action].keys[context] ?? [];
    const other = map.get(key);
    map.set(key, action);
    return [
      `terminal.keys.${other ?? action}: ${action} cannot be without a key: "${shownKey(key)}" stays its own.`,
    ];
  });
}

function contextsOf(action: Action): readonly KeyContext[] {
  return keyContexts.filter((context) => actionSpecs[action].keys[context] !== undefined);
}

function ownKeys(config: KeyConfig, problems: string[]): ReadonlyMap<Action, readonly string[]> {
  const own = new Map<Action, readonly string[]>();
  for (const [name, written] of Object.entries(config)) {
    const action = name.replaceAll("-", "_");
    if (!isAction(action)) {
      const near = nearest(name, actions);
      const advice = near === null ? "/keys shows those that there are" : `did you mean ${near}`;
      problems.push(`terminal.keys.${escapeControls(name)} is not an action: ${advice}.`);
      continue;
    }
    const keys = written.flatMap((key) => {
      const found = keySequenceOf(key);
      const why = found === null ? unknownKey(key) : whyNotBound(found, action);
      if (why !== null) problems.push(`terminal.keys.${action}: ${why}`);
      return found === null || why !== null ? [] : [found];
    });
    const [kept] = essential.includes(action) ? keysOf(defaultKeys, action) : [];
    if (kept !== undefined && written.length === 0) {
      problems.push(`terminal.keys.${action} cannot be without a key: it keeps ${kept}.`);
      // Its defaults stay too where nothing of what was written is a key.
    } else if (keys.length > 0 || written.length === 0) own.set(action, keys);
  }
  return own;
}

function mayBeBound(key: string, context: KeyContext): boolean {
  return !isTyping(key.split(" ")[0] ?? "") || !typingContexts.includes(context);
}

function whyNotBound(key: string, action: Action): string | null {
  if (contextsOf(action).some((context) => mayBeBound(key, context))) return null;
  return `"${shownKey(key)}" cannot be bound, as it could not be typed any more: take one with Ctrl or Alt.`;
}

function unknownKey(written: string): string {
  const last = written.split(/[+-]/).at(-1) ?? "";
  const near = last.length > 1 ? nearest(last, keyNames) : null;
  const advice = near === null ? "write it as ctrl+x, alt+enter, f2 or escape" : `did you mean ${near}`;
  return `"${escapeControls(written)}" is not a key: ${advice}.`;
}

export const defaultKeys: KeyMap = keyMapOf({}).map;

/** @param before the key that was pressed just before, where two in a row may mean something. Null: nothing is bound; what the key types is text. */
export function actionOf(
  map: KeyMap,
  context: KeyContext,
  event: KeyEvent,
  before: string | null = null,
): Action | null {
  for (let at: KeyContext | null = context; at !== null; at = contextBehind[at]) {
    const action =
      (before === null ? undefined : map.bound[at].get(`${before} ${event.key}`)) ??
      map.bound[at].get(event.key);
    if (action !== undefined) return action;
  }
  return null;
}

/** The keys of an action as they are shown, in the order of contexts. */
export function keysOf(map: KeyMap, action: Action): readonly string[] {
  const found = keyContexts.flatMap((context) =>
    [...map.bound[context]].filter(([, bound]) => bound === action).map(([key]) => shownKey(key)),
  );
  return [...new Set(found)];
}
