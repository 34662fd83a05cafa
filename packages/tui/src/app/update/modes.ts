/** Permission modes and models, to choose from. */
import { choiceOf, item, question } from "../../dialogs/choice.ts";
import type { ChoiceDialog } from "../../dialogs/dialog.ts";
import type { ProviderChoice } from "../../host.ts";
import type { UiState } from "../state.ts";

/** As the manifest names them. */
export const permissionModes = [
  { name: "allow-in-scope", help: "what stays in its scope runs" },
  { name: "ask", help: "what no rule allows is asked about" },
  { name: "deny-unlisted", help: "what no rule allows is refused" },
] as const;

/** The one behind that in force is chosen. */
export function modeChoice(state: UiState): ChoiceDialog {
  const mode = state.open?.session.about?.permission_mode ?? state.choices.permissionMode ?? null;
  const at = permissionModes.findIndex(({ name }) => name === mode);
  const items = permissionModes.map(({ name, help }) =>
    item(name, { type: "change", how: { permissionMode: name } }, name === mode ? `${help} (now)` : help),
  );
  const dialog = question(
    "Permission mode: the Pod starts again with it",
    [],
    [...items, item("Show the rules in force", { type: "page", page: "permissions" })],
  );
  return { ...dialog, list: { filter: "", selected: (at + 1) % permissionModes.length } };
}

/** Those whose key is there. */
export function modelChoice(state: UiState, providers: readonly ProviderChoice[]): ChoiceDialog {
  const now = state.open?.session.about?.model ?? state.choices.model ?? null;
  const items = providers
    .filter(({ needsKey, keyIn }) => !needsKey || keyIn !== null)
    .flatMap(({ name, models }) =>
      models.map((model) =>
        item(model, { type: "change", how: { model } }, model === now ? `${name} (now)` : name),
      ),
    );
  return choiceOf("Model: the Pod starts again with it", [
    ...items,
    item("Show all that is known of them", { type: "page", page: "models" }),
    item("Use another provider", { type: "setup" }),
  ]);
}
