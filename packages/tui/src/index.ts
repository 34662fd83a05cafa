/** A view over protocol events: the terminal of yoi. It invents no state. */
export type {
  FirstRun,
  GrantRow,
  Page,
  PageName,
  PodLink,
  PodRow,
  PodStanding,
  ProviderChoice,
  StartChoices,
  TreeRow,
  UiHost,
} from "./host.ts";
export { pageNames, podStandings } from "./host.ts";
export type { UiOpen } from "./app/open.ts";
export type { TerminalUiOptions } from "./app/run.ts";
export { runTerminalUi } from "./app/run.ts";
export type { UiEnd } from "./app/state.ts";
export { keyMapOf } from "./keys/key-map.ts";
export type { TerminalSettings } from "./settings.ts";
export { defaultTerminalSettings } from "./settings.ts";
export type { Terminal, TerminalOptions } from "./terminal/terminal.ts";
export { openTerminal } from "./terminal/terminal.ts";
export { capabilitiesOf } from "./terminal/capabilities.ts";
