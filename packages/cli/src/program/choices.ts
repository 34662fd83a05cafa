/** Values that flags and arguments choose from. Help needs them before any command is loaded. */
import type { PermissionMode } from "@yoi/manifest";
import type { TicketState } from "@yoi/tickets";

export const outputFormats = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** In the order of help. */
export const permissionModes = Object.keys({
  ask: 1,
  "deny-unlisted": 1,
  "allow-in-scope": 1,
} satisfies Record<PermissionMode, 1>);

export function isPermissionMode(text: string): text is PermissionMode {
  return permissionModes.includes(text);
}

/** In the order of a ticket's life. */
export const ticketStatesAndAll = Object.keys({
  planning: 1,
  ready: 1,
  queued: 1,
  inprogress: 1,
  done: 1,
  closed: 1,
  all: 1,
} satisfies Record<TicketState | "all", 1>);

export const completionShells = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof completionShells)[number];

/** What a completion script asks yoi for. */
export const completionLists = [
  "pods",
  "models",
  "providers",
  "secrets",
  "grants",
  "features",
  "profiles",
  "tickets",
] as const;
export type CompletionList = (typeof completionLists)[number];
