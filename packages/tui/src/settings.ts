/** How the user wants the terminal: `[terminal]` of their config.toml, as the manifest reads it. */
export type { ScreenMode, TerminalSettings, ThemeChoice } from "@yoi/base";
export { defaultTerminalSettings, screenModes, themeChoices } from "@yoi/base";
