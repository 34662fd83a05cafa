/** Intent: what a person decided in a dialog, as data: `update/intents.ts` carries it out. */
import type { PageName, StartChoices } from "../host.ts";

export type Intent =
  | { readonly type: "nothing" }
  | { readonly type: "open"; readonly name: string }
  | { readonly type: "restore"; readonly name: string; readonly resume: boolean; readonly opens: boolean }
  /** The open Pod, started again otherwise. */
  | { readonly type: "change"; readonly how: StartChoices }
  | { readonly type: "new_pod"; readonly choices: StartChoices }
  | { readonly type: "stop"; readonly name: string }
  | { readonly type: "fork"; readonly name: string }
  | { readonly type: "pause" | "resume" | "cancel"; readonly name: string }
  | { readonly type: "ask_message" | "ask_title"; readonly name: string }
  | { readonly type: "actions"; readonly name: string }
  | { readonly type: "revoke"; readonly id: string }
  | { readonly type: "unqueue"; readonly id: string }
  | { readonly type: "page"; readonly page: PageName }
  | { readonly type: "setup" }
  | { readonly type: "leave" };
