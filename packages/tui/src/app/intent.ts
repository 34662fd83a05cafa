/** Intent: what a person decided in a dialog, as data: `update/intents.ts` carries it out. */
import type { PageName, StartChoices } from "../host.ts";

/** What becomes of the new one, and of the first one: two cannot write the same part at once. */
export type AfterFork = "opens" | "opens_read_only" | "opens_instead" | "stays";

export type Intent =
  | { readonly type: "nothing" }
  | { readonly type: "open"; readonly name: string }
  | {
      readonly type: "restore";
      readonly name: string;
      readonly resume: boolean;
      readonly opens: boolean;
      readonly readOnly?: true;
    }
  /** The open Pod, started again otherwise. */
  | { readonly type: "change"; readonly how: StartChoices }
  | { readonly type: "new_pod"; readonly choices: StartChoices }
  | { readonly type: "stop"; readonly name: string }
  /** Without `next` it is asked for where it matters. */
  | { readonly type: "fork"; readonly name: string; readonly next?: AfterFork }
  | { readonly type: "pause" | "resume" | "cancel"; readonly name: string }
  | { readonly type: "ask_message" | "ask_title"; readonly name: string }
  | { readonly type: "actions"; readonly name: string }
  | { readonly type: "revoke"; readonly id: string }
  | { readonly type: "unqueue"; readonly id: string }
  | { readonly type: "page"; readonly page: PageName }
  | { readonly type: "setup" }
  | { readonly type: "leave" };
