/** UiOpen: what the terminal begins with. */
import type { StartChoices } from "../host.ts";

export type UiOpen =
  | {
      readonly kind: "pod";
      readonly name: string;
      /** One that no process hosts is started again, its run left as it is; false: the person is asked. */
      readonly restores: boolean;
      /** Sent to it once it is there; null: none was typed. */
      readonly prompt: string | null;
    }
  | { readonly kind: "picker" }
  | {
      readonly kind: "new";
      /** Null: one is drawn. */
      readonly name: string | null;
      readonly choices: StartChoices;
      /** Null: it begins with the first one that is typed. */
      readonly prompt: string | null;
    };
