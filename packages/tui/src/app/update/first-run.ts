/** The first run: provider, key, model, and one word of that model, before it is kept for new Pods. */
import { edit, emptyComposer, textOf } from "../../composer/composer.ts";
import type { FirstRunDialog, GivenKey } from "../../dialogs/dialog.ts";
import { firstRunRows, giveAnother } from "../../dialogs/first-run.ts";
import { chosenAt, emptyList, type ListState, typedInto } from "../../dialogs/list.ts";
import type { ProviderChoice } from "../../host.ts";
import type { InputEvent } from "../../keys/key-event.ts";
import { actionOf } from "../../keys/key-map.ts";
import type { UiState } from "../state.ts";
import { changeDialog, closeDialog, note, openDialog, type Step, step, topDialog } from "../step.ts";
import { typedInField } from "./fields.ts";
import { listMoved } from "./list-keys.ts";

export function showFirstRun(state: UiState, why: string): Step {
  const dialog: FirstRunDialog = {
    kind: "first_run",
    why,
    stage: { at: "reading" },
    providers: [],
    list: emptyList,
    problem: null,
  };
  return step(openDialog(state, dialog), { type: "list_providers", for: "first_run" });
}

export function providersCame(state: UiState, providers: readonly ProviderChoice[]): UiState {
  return changed(state, (dialog) => ({
    ...dialog,
    providers,
    stage: dialog.stage.at === "reading" ? { at: "provider" } : dialog.stage,
  }));
}

export function modelTested(state: UiState, model: string, said: string): UiState {
  return changed(state, (dialog) =>
    dialog.stage.at === "testing" && dialog.stage.model === model
      ? { ...dialog, stage: { ...dialog.stage, at: "tested", said }, problem: null }
      : dialog,
  );
}

export function modelKept(state: UiState, model: string, file: string): UiState {
  const left = { ...state, dialogs: state.dialogs.filter(({ kind }) => kind !== "first_run") };
  const said = model.startsWith("scripted/")
    ? "The offline demo answers here, until you leave. What you send starts a Pod."
    : `New Pods take ${model}, as ${file} says. What you send starts one.`;
  return note(left, "info", said);
}

/** Something of it failed: it can be tried again where it was decided. */
export function firstRunFailed(state: UiState, why: string): UiState {
  return changed(state, (dialog) => {
    const { stage } = dialog;
    switch (stage.at) {
      case "testing":
        return { ...dialog, stage: keyStage(stage.provider, stage.key), list: emptyList, problem: why };
      case "keeping":
        return { ...dialog, stage: { ...stage, at: "tested" }, problem: why };
      case "reading":
        return { ...dialog, stage: { at: "provider" }, problem: why };
      case "key":
      case "key_there":
      case "tested":
      case "provider":
      case "model":
        return { ...dialog, problem: why };
    }
  });
}

/** Where it is decided what the provider is asked with. @param key that was given. */
function keyStage(provider: ProviderChoice, key: string | null): FirstRunDialog["stage"] {
  if (!provider.needsKey) return { at: "provider" };
  if (key === null && provider.keyIn !== null) return { at: "key_there", provider };
  return { at: "key", provider, key: edit(emptyComposer, { type: "set", text: key ?? "" }) };
}

function changed(state: UiState, change: (dialog: FirstRunDialog) => FirstRunDialog): UiState {
  return {
    ...state,
    dialogs: state.dialogs.map((dialog) => (dialog.kind === "first_run" ? change(dialog) : dialog)),
  };
}

export function firstRunTyped(state: UiState, dialog: FirstRunDialog, input: InputEvent): Step {
  switch (dialog.stage.at) {
    case "key":
      return typesKey(state, { ...dialog, stage: dialog.stage }, input);
    case "provider":
    case "key_there":
    case "model":
    case "tested":
      return chooses(state, dialog, input);
    case "reading":
    case "testing":
    case "keeping":
      return closes(state, input) ? back(state, dialog) : step(state);
  }
}

function closes(state: UiState, input: InputEvent): boolean {
  if (input.type === "paste") return false;
  const action = actionOf(state.keys, "list", input);
  return action === "list_close" || action === "cancel";
}

/** One stage back; out of the first. */
function back(state: UiState, dialog: FirstRunDialog): Step {
  const { stage } = dialog;
  const to = (next: FirstRunDialog["stage"]) =>
    changeDialog(state, { ...dialog, stage: next, list: emptyList, problem: null });
  switch (stage.at) {
    case "reading":
    case "provider":
      return step(note(closeDialog(state), "warn", `${dialog.why} /setup asks again.`));
    case "testing":
      return step(to({ at: "provider" }), { type: "stop_test" });
    case "key":
    case "key_there":
    case "model":
    case "tested":
    case "keeping":
      return step(to({ at: "provider" }));
  }
}

function chooses(state: UiState, dialog: FirstRunDialog, input: InputEvent): Step {
  const change = (list: ListState) => step(changeDialog(state, { ...dialog, list }));
  if (input.type === "paste") return change(typedInto(dialog.list, input.text.trim()));
  if (closes(state, input)) return back(state, dialog);
  const rows = firstRunRows(dialog);
  const action = actionOf(state.keys, "list", input);
  if (action === "list_choose") return takes(state, dialog, rows[chosenAt(dialog.list, rows.length)] ?? null);
  const list = listMoved(state, dialog.list, rows.length, input);
  return list === null ? step(state) : change(list);
}

function takes(state: UiState, dialog: FirstRunDialog, row: { readonly name: string } | null): Step {
  const { stage } = dialog;
  const to = (next: FirstRunDialog["stage"]) =>
    changeDialog(state, { ...dialog, stage: next, list: emptyList, problem: null });
  switch (stage.at) {
    case "provider": {
      const provider = dialog.providers.find(({ name }) => name === row?.name);
      if (provider === undefined) return step(state);
      if (provider.needsKey) return step(to(keyStage(provider, null)));
      return asksModel(state, dialog, { provider, key: null });
    }
    case "key_there":
      if (row === null) return step(state);
      return row.name === giveAnother
        ? step(to({ at: "key", provider: stage.provider, key: emptyComposer }))
        : asksModel(state, dialog, { provider: stage.provider, key: null });
    case "model": {
      const model = row?.name ?? dialog.list.filter.trim();
      return model === "" ? step(state) : tests(state, dialog, withProvider(model, stage.provider), stage);
    }
    case "tested":
      return step(to({ ...stage, at: "keeping" }), {
        type: "keep_model",
        model: stage.model,
        provider: stage.provider.name,
        key: stage.key,
      });
    default:
      return step(state);
  }
}

/** A model that no list names is of the provider that was chosen. */
function withProvider(model: string, { name }: ProviderChoice): string {
  return model.startsWith(`${name}/`) ? model : `${name}/${model}`;
}

function asksModel(state: UiState, dialog: FirstRunDialog, { provider, key }: GivenKey): Step {
  const [only, ...others] = provider.models;
  if (only !== undefined && others.length === 0) return tests(state, dialog, only, { provider, key });
  const stage = { at: "model", provider, key } as const;
  return step(changeDialog(state, { ...dialog, stage, list: emptyList, problem: null }));
}

function tests(state: UiState, dialog: FirstRunDialog, model: string, { provider, key }: GivenKey): Step {
  const stage = { at: "testing", model, provider, key } as const;
  const next: FirstRunDialog = { ...dialog, stage, list: emptyList, problem: null };
  return step(changeDialog(state, next), { type: "test_model", model, key });
}

function typesKey(
  state: UiState,
  dialog: FirstRunDialog & { readonly stage: { readonly at: "key" } },
  input: InputEvent,
): Step {
  const { stage } = dialog;
  const typed = typedInField(state, stage.key, input);
  switch (typed.kind) {
    case "changed":
      return step(changeDialog(state, { ...dialog, stage: { ...stage, key: typed.field } }));
    case "closed":
      return back(state, dialog);
    case "taken": {
      const key = textOf(stage.key).trim();
      if (key === "")
        return step(changeDialog(state, { ...dialog, problem: "Paste the key, or go back with Esc." }));
      return asksModel(state, dialog, { provider: stage.provider, key });
    }
    case "nothing":
      return step(state);
  }
}

/** The wizard is what is looked at. */
export function isFirstRun(state: UiState): boolean {
  return topDialog(state)?.kind === "first_run";
}
