/** The rows of the first run's stage, as its filter leaves them. */
import type { FirstRunDialog } from "./dialog.ts";
import { filtered } from "./list.ts";

const useIt = "Use it";
export const giveAnother = "Give another";

export interface FirstRunRow {
  readonly name: string;
  readonly detail: string;
}

export function firstRunRows({ stage, providers, list }: FirstRunDialog): readonly FirstRunRow[] {
  switch (stage.at) {
    case "provider":
      return narrowed(
        providers.map(({ name, hint, needsKey, keyIn }) => ({
          name,
          detail: `${needsKey && keyIn !== null ? "its key is there; " : ""}${hint}`,
        })),
        list.filter,
      );
    case "model":
      return narrowed(
        stage.provider.models.map((name) => ({ name, detail: "" })),
        list.filter,
      );
    case "key_there": {
      const { keyIn, takesKey } = stage.provider;
      const place = keyIn ?? "";
      return [
        { name: useIt, detail: `the key in ${place}` },
        ...(takesKey
          ? [{ name: giveAnother, detail: "it takes the place of that one when a model has answered" }]
          : []),
      ];
    }
    case "tested":
      return [{ name: "Take it for new Pods", detail: "" }];
    default:
      return [];
  }
}

function narrowed(rows: readonly FirstRunRow[], filter: string): readonly FirstRunRow[] {
  return filtered(rows, filter, ({ name, detail }) => `${name} ${detail}`);
}
