/** Actions: all that a key can do, and where. Whatever is typed and bound to nothing inserts itself. */

/** Where a key is pressed; a key that means nothing there is looked for in the context behind it. */
export const keyContexts = [
  "composer",
  /** The composer is empty. */
  "empty",
  /** What could be completed is shown. */
  "completion",
  /** The history is searched. */
  "search",
  /** Something is chosen from a list, and what is typed narrows it. */
  "list",
  /** A page is read. */
  "pager",
  /** A question whose answers are keys. */
  "choice",
] as const;
export type KeyContext = (typeof keyContexts)[number];

/** What is typed in these is text, so no key of theirs may be a character. */
export const typingContexts: readonly KeyContext[] = ["composer", "empty", "completion", "search", "list"];

export const contextBehind: Readonly<Record<KeyContext, KeyContext | null>> = {
  composer: null,
  empty: "composer",
  completion: "composer",
  search: "composer",
  list: null,
  pager: null,
  choice: null,
};

interface ActionSpec {
  readonly help: string;
  /**
   * Default keys, by where they mean it. Two keys with a space between them are pressed one after the other. Terminals have several names for signs with Shift.
   */
  readonly keys: Readonly<Partial<Record<KeyContext, readonly string[]>>>;
}

const specs = {
  submit: {
    help: "Send what is written; while a run goes on, with its next request.",
    keys: { composer: ["enter"] },
  },
  submit_after_run: {
    help: "Send it when the run is over; a new line while nothing runs.",
    keys: { composer: ["alt+enter"] },
  },
  newline: {
    help: "A new line; so does a backslash before Enter.",
    keys: { composer: ["shift+enter", "ctrl+j"] },
  },
  complete: { help: "Complete what stands before the cursor.", keys: { composer: ["tab"] } },
  completion_accept: { help: "Take the completion that is chosen.", keys: { completion: ["tab"] } },
  completion_next: { help: "The next completion.", keys: { completion: ["down", "ctrl+n"] } },
  completion_previous: { help: "The completion before.", keys: { completion: ["up", "ctrl+p"] } },
  completion_close: { help: "Complete nothing.", keys: { completion: ["escape"] } },
  interrupt: { help: "Stop the run; close what is open.", keys: { composer: ["escape"] } },
  rewind: { help: "Go back to an earlier input.", keys: { composer: ["escape escape"] } },
  cancel: {
    help: "Clear what is written; with nothing written, stop the run.",
    keys: { composer: ["ctrl+c"], list: ["ctrl+c"], pager: ["ctrl+c"], choice: ["ctrl+c"] },
  },
  leave: {
    help: "Leave the terminal; the Pod goes on.",
    keys: { composer: ["ctrl+c ctrl+c"], empty: ["ctrl+d"] },
  },
  background: { help: "Leave the Pod as it is and go back to the shell.", keys: { composer: ["ctrl+b"] } },
  suspend: {
    help: "Suspend yoi, as with any program; fg goes on.",
    keys: { composer: ["ctrl+z"], list: ["ctrl+z"], pager: ["ctrl+z"], choice: ["ctrl+z"] },
  },
  redraw: {
    help: "Draw the screen anew.",
    keys: { composer: ["ctrl+l"], list: ["ctrl+l"], pager: ["ctrl+l"], choice: ["ctrl+l"] },
  },
  help: {
    help: "Show all keys and commands; ? shows the keys that matter most.",
    keys: { composer: ["f1"] },
  },
  editor: { help: "Write on in your editor.", keys: { composer: ["ctrl+g"] } },
  history_search: { help: "Search what was sent before; again: older.", keys: { composer: ["ctrl+r"] } },
  search_older: { help: "An older match.", keys: { search: ["up", "ctrl+r", "ctrl+p"] } },
  search_newer: { help: "A newer match.", keys: { search: ["down", "ctrl+s", "ctrl+n"] } },
  search_accept: { help: "Take the match into the composer.", keys: { search: ["enter", "tab"] } },
  search_cancel: { help: "Give the search up.", keys: { search: ["escape", "ctrl+c", "ctrl+g"] } },
  transcript: {
    help: "The whole conversation as pages, everything unfolded.",
    keys: { composer: ["ctrl+o"] },
  },
  tasks: { help: "Show or hide the panels of features, such as tasks.", keys: { composer: ["ctrl+t"] } },
  verbose: { help: "Show blocks whole, or folded.", keys: { composer: ["alt+o"] } },
  permission_mode: { help: "The next permission mode.", keys: { composer: ["shift+tab"] } },
  approvals: { help: "Answer the calls that wait for you.", keys: { composer: ["alt+a"] } },
  pods: { help: "All Pods.", keys: { composer: ["alt+p", "f2"] } },
  tree: { help: "Pods below one another, with what they may do.", keys: { composer: ["alt+t", "f3"] } },
  next_needy_pod: { help: "Open the next Pod that waits for you.", keys: { composer: ["alt+n"] } },
  queue_edit: { help: "Take the last queued input back into the composer.", keys: { composer: ["alt+up"] } },

  left: { help: "One character to the left.", keys: { composer: ["left"] } },
  right: { help: "One character to the right.", keys: { composer: ["right", "ctrl+f"] } },
  word_left: { help: "One word to the left.", keys: { composer: ["alt+b", "alt+left", "ctrl+left"] } },
  word_right: { help: "One word to the right.", keys: { composer: ["alt+f", "alt+right", "ctrl+right"] } },
  line_start: { help: "To the start of the line.", keys: { composer: ["ctrl+a", "home"] } },
  line_end: { help: "To the end of the line.", keys: { composer: ["ctrl+e", "end"] } },
  text_start: {
    help: "To the start of all that is written.",
    keys: { composer: ["ctrl+home", "alt+<", "alt+shift+,", "alt+shift+<"] },
  },
  text_end: {
    help: "To the end of all that is written.",
    keys: { composer: ["ctrl+end", "alt+>", "alt+shift+.", "alt+shift+>"] },
  },
  up: { help: "One row up; from the first one, what was sent before.", keys: { composer: ["up"] } },
  down: { help: "One row down; from the last one, what was sent after.", keys: { composer: ["down"] } },
  history_previous: { help: "What was sent before.", keys: { composer: ["ctrl+p"] } },
  history_next: { help: "What was sent after.", keys: { composer: ["ctrl+n"] } },
  delete_left: {
    help: "Delete the character to the left.",
    keys: { composer: ["backspace", "ctrl+h", "shift+backspace"] },
  },
  delete_right: { help: "Delete the character to the right.", keys: { composer: ["delete", "ctrl+d"] } },
  kill_word_left: {
    help: "Cut the word to the left.",
    keys: { composer: ["ctrl+w", "alt+backspace", "ctrl+backspace"] },
  },
  kill_word_right: {
    help: "Cut the word to the right.",
    keys: { composer: ["alt+d", "alt+delete", "ctrl+delete"] },
  },
  kill_line_left: { help: "Cut to the start of the line.", keys: { composer: ["ctrl+u"] } },
  kill_line_right: { help: "Cut to the end of the line.", keys: { composer: ["ctrl+k"] } },
  yank: { help: "Put back what was cut last.", keys: { composer: ["ctrl+y"] } },
  yank_older: { help: "Right after that: what was cut before it.", keys: { composer: ["alt+y"] } },
  undo: {
    help: "Take back the last edit.",
    keys: { composer: ["ctrl+_", "ctrl+-", "ctrl+shift+-", "ctrl+shift+_"] },
  },
  redo: {
    help: "Do again what was taken back.",
    keys: { composer: ["alt+_", "alt+-", "alt+shift+-", "alt+shift+_"] },
  },

  list_up: { help: "The row above.", keys: { list: ["up", "ctrl+p"] } },
  list_down: { help: "The row below.", keys: { list: ["down", "ctrl+n"] } },
  list_page_up: { help: "A page up.", keys: { list: ["pageup"] } },
  list_page_down: { help: "A page down.", keys: { list: ["pagedown"] } },
  list_first: { help: "The first row.", keys: { list: ["home"] } },
  list_last: { help: "The last row.", keys: { list: ["end"] } },
  list_choose: { help: "Take the row.", keys: { list: ["enter"] } },
  list_actions: { help: "What else can be done with the row.", keys: { list: ["tab"] } },
  list_erase: {
    help: "Delete the last character of what was typed.",
    keys: { list: ["backspace", "ctrl+h"] },
  },
  list_close: { help: "Close the list.", keys: { list: ["escape"] } },

  pager_up: { help: "A row up.", keys: { pager: ["up", "k"] } },
  pager_down: { help: "A row down.", keys: { pager: ["down", "j", "enter"] } },
  pager_page_up: { help: "A page up.", keys: { pager: ["pageup", "b", "ctrl+b"] } },
  pager_page_down: { help: "A page down.", keys: { pager: ["pagedown", "space", "ctrl+f"] } },
  pager_top: { help: "To the beginning.", keys: { pager: ["home", "g"] } },
  pager_bottom: { help: "To the end.", keys: { pager: ["end", "G"] } },
  pager_search: { help: "Search in the page.", keys: { pager: ["/"] } },
  pager_next: { help: "The next match.", keys: { pager: ["n"] } },
  pager_previous: { help: "The match before.", keys: { pager: ["N"] } },
  pager_close: { help: "Close the page.", keys: { pager: ["escape", "q", "ctrl+o"] } },

  choice_previous: { help: "The choice above.", keys: { choice: ["up", "ctrl+p", "shift+tab"] } },
  choice_next: { help: "The choice below.", keys: { choice: ["down", "ctrl+n", "tab"] } },
  choice_take: { help: "Take the choice.", keys: { choice: ["enter"] } },
  choice_close: { help: "Decide later.", keys: { choice: ["escape"] } },
  choice_page_up: { help: "More of what is asked about: up.", keys: { choice: ["pageup"] } },
  choice_page_down: { help: "More of what is asked about: down.", keys: { choice: ["pagedown"] } },
} as const satisfies Readonly<Record<string, ActionSpec>>;

export type Action = keyof typeof specs;

export const actionSpecs: Readonly<Record<Action, ActionSpec>> = specs;

export const actions: readonly Action[] = Object.keys(specs).filter(isAction);

export function isAction(name: string): name is Action {
  return Object.hasOwn(specs, name);
}
