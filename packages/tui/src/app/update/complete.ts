/** Completion: what is asked for while a person types, and what comes of the answers. */
import type { CompletePathResult, SkillOffer } from "@yoi/protocol";
import { answered, type Completable, refreshed } from "../../composer/completion.ts";
import { pathSuggestions, type Suggestion, wordSuggestions } from "../../composer/suggestion.ts";
import { commandSuggestions } from "../../commands/suggestions.ts";
import { commandNamed } from "../../commands/table.ts";
import { screenModes, themeChoices } from "../../settings.ts";
import { skillsOf, type UiState } from "../state.ts";
import { type Step, step } from "../step.ts";
import { permissionModes } from "./modes.ts";

/** After each edit of the composer. @param isAsked by hand. */
export function completes(state: UiState, isAsked = false): Step {
  const next = completesNow(state, isAsked);
  const { what } = next.state.completion ?? {};
  // A line that may name a skill begins: one that was written since is offered too.
  return what?.kind === "command" && what.prefix === "" && state.completion === null
    ? { ...next, effects: [...next.effects, { type: "list_skills" }] }
    : next;
}

/** They were looked for. What is chosen in a list stays. */
export function skillsCame(before: UiState, skills: readonly SkillOffer[]): UiState {
  const state = { ...before, skills };
  const { completion } = state;
  if (completion === null || completion.what.kind !== "command" || completion.isChosen) return state;
  return { ...state, completion: { ...completion, items: known(state, completion.what), selected: 0 } };
}

function completesNow(state: UiState, isAsked: boolean): Step {
  const { completion, ask } = refreshed(
    state.completion,
    state.composer,
    state.counter + 1,
    isAsked,
    skillsOf(state),
  );
  const next = ask ? { ...state, completion, counter: state.counter + 1 } : { ...state, completion };
  if (completion === null || !ask) return step(next);
  const { what, ticket } = completion;
  if (what.kind !== "path")
    return step({ ...next, completion: answered(completion, ticket, known(state, what)) });
  const { open } = state;
  if (open === null || !open.isAttached || open.session.link !== "up") return step(next);
  return step(next, {
    type: "ask",
    attachment: open.attachment,
    ask: { kind: "complete_path", ticket, prefix: what.prefix },
  });
}

export function pathsCame(state: UiState, ticket: number, result: CompletePathResult): UiState {
  return { ...state, completion: answered(state.completion, ticket, pathSuggestions(result)) };
}

/** What needs nobody else to be asked. */
function known(state: UiState, what: Exclude<Completable, { readonly kind: "path" }>): readonly Suggestion[] {
  if (what.kind === "command")
    return commandSuggestions(what.prefix, state.composer.text[0] ?? "/", skillsOf(state));
  switch (commandNamed(what.command)?.name) {
    case "open":
    case "resume":
    case "stop":
    case "restore":
    case "send":
      return wordSuggestions(
        what.prefix,
        (state.pods ?? []).map(({ name, standing, title }) => ({ word: name, detail: title ?? standing })),
      );
    case "theme":
      return wordSuggestions(what.prefix, words(themeChoices));
    case "screen":
      return wordSuggestions(what.prefix, words(screenModes));
    case "permissions":
      return wordSuggestions(
        what.prefix,
        permissionModes.map(({ name, help }) => ({ word: name, detail: help })),
      );
    case "skill":
      return wordSuggestions(
        what.prefix,
        skillsOf(state).map(({ name, description }) => ({ word: name, detail: description })),
      );
    case "sandbox":
      return wordSuggestions(what.prefix, words(["on", "off"]));
    default:
      return [];
  }
}

function words(all: readonly string[]): readonly { readonly word: string; readonly detail: string }[] {
  return all.map((word) => ({ word, detail: "" }));
}
