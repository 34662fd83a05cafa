/** What the model and the record are told of a call that was not let through. */
import { escapeControls } from "@yoi/base";
import { firstChars } from "../hook/said.ts";
import type { Verdict } from "./verdict.ts";

/** Characters of a command's part that are shown. */
export const shownPartCharsMax = 200;

/** What rules and mode come to. */
export type PermissionDecision =
  | { readonly action: "allow" }
  | { readonly action: "deny"; readonly reason: string }
  /** `wants` is the start of a sentence: who wants a person to allow what. */
  | { readonly action: "ask"; readonly wants: string };

export function decisionOf(verdict: Verdict): PermissionDecision {
  switch (verdict.action) {
    case "allow":
      return { action: "allow" };
    case "deny": {
      const about = verdict.about === null ? "" : `: ${shown(verdict.about)}`;
      return {
        action: "deny",
        reason: `Refused by ${verdict.because}${about}. Nothing was done.`,
      };
    }
    case "ask":
      return { action: "ask", wants: wanted(verdict) };
  }
}

function wanted({ because, about, isOpen }: Verdict & { readonly action: "ask" | "deny" }): string {
  const asks = isOpen
    ? `${because} may be about this, and only a run would show it`
    : `${because} wants a person to allow this`;
  return about === null ? asks : `${asks} (${shown(about)})`;
}

function shown(about: string): string {
  const cut = firstChars(about, shownPartCharsMax);
  return escapeControls(cut === about ? about : `${cut}...`);
}
