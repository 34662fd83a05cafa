/** What the environment of a terminal says of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { capabilitiesOf, type Environment } from "../../src/terminal/capabilities.ts";

const xterm = {
  isDumb: false,
  colors: true,
  isLight: false,
  hyperlinks: false,
  isTmux: false,
  isRemote: false,
  reflow: "attached",
  notifying: "bell",
} as const;
const table: readonly [Environment, object][] = [
  [{ TERM: "xterm-256color" }, xterm],
  [
    { TERM: "xterm-256color", NO_COLOR: "1" },
    { ...xterm, colors: false },
  ],
  [{ TERM: "xterm-256color", NO_COLOR: "" }, xterm],
  [
    { TERM: "xterm-256color", NO_COLOR: "1", FORCE_COLOR: "1" },
    { ...xterm, colors: false },
  ],
  [
    { TERM: "xterm-256color", FORCE_COLOR: "0" },
    { ...xterm, colors: false },
  ],
  [
    { TERM: "xterm-256color", COLORFGBG: "0;default;15" },
    { ...xterm, isLight: true },
  ],
  [{ TERM: "xterm-256color", COLORFGBG: "15;0" }, xterm],
  [{ TERM: "dumb" }, { ...xterm, isDumb: true, colors: false }],
  [{}, { ...xterm, isDumb: true, colors: false }],
  [
    { TERM: "dumb", FORCE_COLOR: "1" },
    { ...xterm, isDumb: true },
  ],
  [
    { TERM: "tmux-256color", TMUX: "/x,1,0", VTE_VERSION: "7000" },
    { ...xterm, isTmux: true },
  ],
  [
    { TERM: "screen-256color", TMUX: "/x,1,0" },
    { ...xterm, isTmux: true },
  ],
  [{ TERM: "screen-256color" }, { ...xterm, reflow: "none" }],
  [
    { TERM: "xterm-256color", XTERM_VERSION: "XTerm(390)" },
    { ...xterm, reflow: "none" },
  ],
  [{ TERM: "linux" }, { ...xterm, reflow: "none" }],
  [
    { TERM: "xterm-256color", TERM_PROGRAM: "vscode" },
    { ...xterm, hyperlinks: true, reflow: "xterm_js" },
  ],
  [
    { TERM: "xterm-256color", VTE_VERSION: "7000" },
    { ...xterm, hyperlinks: true, notifying: "osc777" },
  ],
  [
    { TERM: "xterm-256color", VTE_VERSION: "4999" },
    { ...xterm, notifying: "osc777" },
  ],
  [
    { TERM: "xterm-kitty", SSH_CONNECTION: "a b" },
    { ...xterm, hyperlinks: true, isRemote: true, notifying: "osc9" },
  ],
];

test("capabilities are what the environment says", () => {
  const shown = table.map(([env]) => [env, capabilitiesOf(env)]);
  assert.deepEqual(shown, table);
});
