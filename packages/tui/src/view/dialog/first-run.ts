/** The first run: one stage at a time. */
import type { FirstRunDialog } from "../../dialogs/dialog.ts";
import { firstRunRows } from "../../dialogs/first-run.ts";
import type { Line } from "../line.ts";
import { safeLine } from "../safe.ts";
import { pad, widthOf, wrap } from "../width.ts";
import { type Area, type AreaOptions, hintLine, listRows, titleLine } from "./area.ts";
import { fieldLine } from "./field.ts";

const nameColumnsMax = 24;

export function firstRunArea(dialog: FirstRunDialog, options: AreaOptions): Area {
  const { columns, look, rowsMax } = options;
  const { stage } = dialog;
  const head = [
    titleLine("First run: choose a model", options),
    ...(isBefore(dialog) ? wrap(safeLine(dialog.why), columns) : []),
    ...(dialog.problem === null ? [] : wrap(safeLine(dialog.problem), columns).map(look.theme.bad)),
  ].slice(0, Math.max(1, rowsMax - 3));
  const room = { ...options, rowsMax: Math.max(1, rowsMax - head.length - 2) };
  const rows = firstRunRows(dialog).map(({ name, detail }) => ({
    name: safeLine(name),
    detail: safeLine(detail),
  }));
  const names = Math.min(nameColumnsMax, Math.max(0, ...rows.map(({ name }) => widthOf(name))));
  const list = (): readonly Line[] =>
    listRows(
      rows.map(({ name, detail }) => (detail === "" ? name : `${pad(name, names)}  ${detail}`)),
      dialog.list,
      room,
    );
  const plain = (line: string, rows: readonly Line[], hint: string): Area => ({
    lines: [...head, look.theme.strong(line), ...rows, hintLine(hint, options)],
    cursor: null,
  });
  switch (stage.at) {
    case "reading":
      return plain("Reading what there is ...", [], "Esc leaves it.");
    case "provider":
      return plain(
        `Who has the model? ${safeLine(dialog.list.filter)}`,
        list(),
        "Enter takes it, type to narrow it, Esc leaves it for later.",
      );
    case "model":
      return plain(
        `Which model of ${safeLine(stage.provider.name)}? ${safeLine(dialog.list.filter)}`,
        list(),
        "Enter takes it; what is in no list can be typed. Esc goes back.",
      );
    case "key": {
      const { line, column } = fieldLine("Key: ", stage.key, options, true);
      const made = wrap(safeLine(stage.provider.hint), columns).slice(0, room.rowsMax - 1);
      const above = [...head, ...made.map(look.theme.dim)];
      const hint = "Enter tries it, and it is kept as a secret if a model answers. Esc goes back.";
      return { lines: [...above, line, hintLine(hint, options)], cursor: { row: above.length, column } };
    }
    case "key_there": {
      const { name, keyIn, takesKey } = stage.provider;
      const hint = takesKey
        ? "Enter takes it, Esc goes back."
        : `${safeLine(keyIn ?? "")} goes before a key that is kept: to use another, change it there.`;
      return plain(`There is a key for ${safeLine(name)}.`, list(), hint);
    }
    case "testing":
      return plain(`Asking ${safeLine(stage.model)} for one word ...`, [], "Esc stops it.");
    case "tested":
      return plain(
        `${safeLine(stage.model)} answered: ${safeLine(stage.said)}`,
        list(),
        "Enter takes it, Esc goes back.",
      );
    case "keeping":
      return plain(`Keeping ${safeLine(stage.model)} ...`, [], "");
  }
}

/** Why it was opened is true until something was given or tried. */
function isBefore({ stage, problem }: FirstRunDialog): boolean {
  return problem === null && (stage.at === "reading" || stage.at === "provider" || stage.at === "key");
}
