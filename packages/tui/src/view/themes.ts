/** The themes of yoi, in the sixteen colours that every terminal has and its user chose. */
import { type Style, type StyleName, styleNames, type Theme } from "./theme.ts";

export const themeNames = ["dark", "light", "none"] as const;
export type ThemeName = (typeof themeNames)[number];

type Codes = readonly [on: string, off: string];
const bold: Codes = ["1", "22"];
const faint: Codes = ["2", "22"];
const italic: Codes = ["3", "23"];
const reverse: Codes = ["7", "27"];
const colour = (code: number): Codes => [String(code), "39"];
const boldColour = (code: number): Codes => [`1;${code}`, "22;39"];

const dark: Readonly<Record<StyleName, Codes>> = {
  strong: bold,
  dim: faint,
  italic,
  accent: colour(36),
  user: boldColour(36),
  good: colour(32),
  warn: colour(33),
  bad: colour(31),
  code: colour(36),
  heading: boldColour(35),
  link: ["4;36", "24;39"],
  quote: colour(90),
  rule: colour(90),
  added: colour(32),
  removed: colour(31),
  selected: reverse,
  keyword: colour(35),
  string: colour(32),
  comment: colour(90),
  number: colour(33),
  name: colour(34),
  type: colour(36),
};

/** Without the colours that nobody reads on white: cyan and yellow become blue and magenta. */
const light: Readonly<Record<StyleName, Codes>> = {
  ...dark,
  accent: colour(34),
  user: boldColour(34),
  warn: colour(35),
  code: colour(34),
  link: ["4;34", "24;39"],
  number: colour(31),
  type: colour(34),
};

const asIs: Style = (text) => text;

export function themeNamed(name: ThemeName): Theme {
  return themes[name];
}

function themeOf(style: (name: StyleName) => Style): Theme {
  // SAFETY: one entry for each name.
  return Object.fromEntries(styleNames.map((name) => [name, style(name)])) as Theme;
}

function styled([on, off]: Codes): Style {
  return (text) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
}

const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: themeOf((name) => styled(dark[name])),
  light: themeOf((name) => styled(light[name])),
  none: themeOf(() => asIs),
};
