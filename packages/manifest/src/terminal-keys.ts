/** The keys of `[terminal]`: how the user wants to see Pods. Only the user's own file may say them. */
import { type ScreenMode, screenModes, type ThemeChoice, themeChoices } from "@yoi/base";
import type { SettingSpec } from "./config-keys.ts";
import { isOneOf } from "./config-values.ts";

/** Keys of the keyboard by what they do: one, or a list of them. Which actions and keys there are the terminal knows. */
export type WrittenKeys = Readonly<Record<string, string | readonly string[]>>;

export interface TerminalKeys {
  readonly "terminal.screen": ScreenMode;
  readonly "terminal.theme": ThemeChoice;
  readonly "terminal.bell": boolean;
  readonly "terminal.keys": WrittenKeys;
}

/** Actions that may be bound, and keys of one of them. */
export const boundActionsMax = 256;
export const boundKeysMax = 16;
/** Characters of a key's name, or of an action's. */
export const keyNameCharsMax = 64;

const refusedInProject = (): string => "may not be set";

export const terminalSettingSpecs: { readonly [K in keyof TerminalKeys]: SettingSpec<TerminalKeys[K]> } = {
  "terminal.screen": {
    allowed: '"main" or "alternate"',
    accepts: (value) => isOneOf(value, screenModes),
    refusedInProject,
  },
  "terminal.theme": {
    allowed: 'one of "auto", "dark", "light" and "none"',
    accepts: (value) => isOneOf(value, themeChoices),
    refusedInProject,
  },
  "terminal.bell": {
    allowed: "true or false",
    accepts: (value): value is boolean => typeof value === "boolean",
    refusedInProject,
  },
  "terminal.keys": {
    allowed: `a table of keys by action, as newline = "ctrl+j" or newline = ["ctrl+j", "shift+enter"], with at most ${boundKeysMax} keys of an action`,
    accepts: isWrittenKeys,
    refusedInProject,
  },
};

function isWrittenKeys(value: unknown): value is WrittenKeys {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Date)
    return false;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  return (
    entries.length <= boundActionsMax && entries.every(([action, keys]) => isName(action) && isKeys(keys))
  );
}

function isKeys(value: unknown): boolean {
  return Array.isArray(value) ? value.length <= boundKeysMax && value.every(isName) : isName(value);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= keyNameCharsMax;
}
