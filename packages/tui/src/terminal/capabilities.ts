/** What a terminal can do, by what its environment says. */
import type { Notifying } from "./modes.ts";
import type { Reflow } from "./reflow.ts";

export interface Capabilities {
  /** Nothing but lines: the plain mode. */
  readonly isDumb: boolean;
  readonly colors: boolean;
  /** Its background is a light one, by `COLORFGBG`: terminals that say nothing are taken for dark. */
  readonly isLight: boolean;
  readonly hyperlinks: boolean;
  readonly isTmux: boolean;
  /** Over ssh: what belongs together arrives in pieces. */
  readonly isRemote: boolean;
  readonly reflow: Reflow;
  readonly notifying: Notifying;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `NO_COLOR` that is not empty takes colours away; `FORCE_COLOR` gives them where only `TERM` speaks against them, `FORCE_COLOR=0` takes them too. */
export function capabilitiesOf(env: Environment): Capabilities {
  const term = env["TERM"] ?? "";
  const isTmux = isSet(env["TMUX"]) || term.startsWith("tmux");
  const isDumb = term === "" || term === "dumb";
  return {
    isDumb,
    colors: colorsOf(env, isDumb),
    // The last number is the background among the sixteen colours: white, or bright white.
    isLight: /;(?:7|15)$/.test(env["COLORFGBG"] ?? ""),
    // tmux and screen swallow them, or hand them on to who knows what.
    hyperlinks: !isDumb && !isTmux && !term.startsWith("screen") && knowsHyperlinks(env, term),
    isTmux,
    isRemote: isSet(env["SSH_CONNECTION"]) || isSet(env["SSH_TTY"]),
    reflow: reflowOf(env, term, isTmux),
    notifying: isTmux ? "bell" : notifyingOf(env, term),
  };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function colorsOf(env: Environment, isDumb: boolean): boolean {
  if (isSet(env["NO_COLOR"])) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return !isDumb || isSet(env["COLORTERM"]);
}

function knowsHyperlinks(env: Environment, term: string): boolean {
  if (["iTerm.app", "WezTerm", "ghostty", "vscode"].includes(env["TERM_PROGRAM"] ?? "")) return true;
  if (isSet(env["WT_SESSION"]) || isSet(env["KITTY_WINDOW_ID"])) return true;
  // VTE knows them since 0.50.
  return Number(env["VTE_VERSION"] ?? 0) >= 5000 || term === "xterm-kitty" || term === "xterm-ghostty";
}

function reflowOf(env: Environment, term: string, isTmux: boolean): Reflow {
  if (isTmux) return "attached";
  if (
    isSet(env["XTERM_VERSION"]) ||
    term === "linux" ||
    term.startsWith("screen") ||
    term.startsWith("rxvt")
  ) {
    return "none";
  }
  return env["TERM_PROGRAM"] === "vscode" ? "xterm_js" : "attached";
}

function notifyingOf(env: Environment, term: string): Notifying {
  if (["iTerm.app", "WezTerm", "ghostty"].includes(env["TERM_PROGRAM"] ?? "")) return "osc9";
  if (isSet(env["KITTY_WINDOW_ID"]) || term === "xterm-kitty" || term === "xterm-ghostty") return "osc9";
  return isSet(env["VTE_VERSION"]) || term.startsWith("rxvt") || term.startsWith("foot") ? "osc777" : "bell";
}
