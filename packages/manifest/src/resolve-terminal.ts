/** The terminal as the user wants it: no workspace and no profile has a word in it. */
import { defaultTerminalSettings, type TerminalSettings } from "@yoi/base";
import { builtIn, said } from "./layered.ts";
import type { ConfigEntry, ConfigLayers } from "./resolve-input.ts";

/** Needs no model, so that there is a terminal to choose one in. */
export function resolveTerminal({ user }: ConfigLayers): {
  readonly settings: TerminalSettings;
  readonly sources: readonly ConfigEntry[];
} {
  const otherwise = defaultTerminalSettings;
  const screen = said(user, "terminal.screen") ?? { value: otherwise.screen, origin: builtIn };
  const theme = said(user, "terminal.theme") ?? { value: otherwise.theme, origin: builtIn };
  const bell = said(user, "terminal.bell") ?? { value: otherwise.bell, origin: builtIn };
  const written = said(user, "terminal.keys") ?? { value: {}, origin: builtIn };
  const keys = Object.fromEntries(
    Object.entries(written.value).map(([action, bound]) => [
      action,
      typeof bound === "string" ? [bound] : [...bound],
    ]),
  );
  return {
    settings: { screen: screen.value, theme: theme.value, bell: bell.value, keys },
    sources: [
      { key: "terminal.screen", ...screen },
      { key: "terminal.theme", ...theme },
      { key: "terminal.bell", ...bell },
      { key: "terminal.keys", value: keys, origin: written.origin },
    ],
  };
}
