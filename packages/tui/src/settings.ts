/** TerminalSettings: how the user wants the terminal, as `[terminal]` of their config.toml says it. */
import type { KeyConfig } from "./keys/key-map.ts";

export const screenModes = ["main", "alternate"] as const;
export type ScreenMode = (typeof screenModes)[number];

export const themeChoices = ["auto", "dark", "light", "none"] as const;
export type ThemeChoice = (typeof themeChoices)[number];

export interface TerminalSettings {
  /** main: what is finished goes into the terminal's own scrollback. alternate: a screen of its own, which is gone when yoi ends. */
  readonly screen: ScreenMode;
  /** auto: by the terminal's background. none: no colours. */
  readonly theme: ThemeChoice;
  /** A bell when a Pod waits for the user, or is done while nobody looks. */
  readonly bell: boolean;
  readonly keys: KeyConfig;
}

export const defaultSettings: TerminalSettings = { screen: "main", theme: "auto", bell: true, keys: {} };
