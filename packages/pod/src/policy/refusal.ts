/** What the model and the record are told of a call that was not let through. */
import { escapeControls } from "@yoi/base";
import type { GateDecision } from "@yoi/worker";
import type { Verdict } from "./verdict.ts";

/** Characters of a command's part that are shown. */
export const shownPartCharsMax = 200;

export function decisionOf(verdict: Verdict): GateDecision {
  switch (verdict.action) {
    case "allow":
      return { action: "allow" };
    case "deny": {
      const about = verdict.about === null ? "" : `: ${shown(verdict.about)}`;
      return {
        action: "deny",
        reason: `Refused by ${verdict.because}${about}. Nothing was done.`,
        refusal: "denied",
      };
    }
    case "ask":
      return { action: "deny", reason: askedFor(verdict), refusal: "asked" };
  }
}

function askedFor({ because, about, isOpen }: Verdict & { readonly action: "ask" | "deny" }): string {
  const asks = isOpen
    ? `${because} may be about this, and only a run would show it`
    : `${because} wants a person to allow this`;
  const which = about === null ? "" : ` (${shown(about)})`;
  return `Permission needed: ${asks}${which}, and nobody can be asked now. Nothing was done.`;
}

function shown(about: string): string {
  const cut = about.length > shownPartCharsMax ? `${about.slice(0, shownPartCharsMax)}...` : about;
  return escapeControls(cut);
}
