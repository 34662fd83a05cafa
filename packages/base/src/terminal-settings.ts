/** TerminalSettings: how the user wants the terminal. The configuration reads them, and the terminal goes by them. */

export const screenModes = ["main", "alternate"] as const;
/** main: what is finished goes into the terminal's own scrollback. alternate: a screen of its own, which is gone when yoi ends. */
export type ScreenMode = (typeof screenModes)[number];

export const themeChoices = ["auto", "dark", "light", "none"] as const;
/** auto: by the terminal's background. none: no colours. */
export type ThemeChoice = (typeof themeChoices)[number];

/** Keys by action, both as the user writes them; no keys: the action has none. What is absent has its defaults. */
export type KeyConfig = Readonly<Record<string, readonly string[]>>;

export interface TerminalSettings {
  readonly screen: ScreenMode;
  readonly theme: ThemeChoice;
  /** A bell when a Pod waits for the user, or is done while nobody looks. */
  readonly bell: boolean;
  readonly keys: KeyConfig;
}

export const defaultTerminalSettings: TerminalSettings = {
  screen: "main",
  theme: "auto",
  bell: true,
  keys: {},
};
