/** Theme: the styles that views use, by what a text is. A theme without colours leaves every text as it is, so no view says anything by colour alone. */

/** Puts a text without control characters into SGR sequences, or leaves it as it is. */
export type Style = (text: string) => string;

export const styleNames = [
  "strong",
  "dim",
  "italic",
  "accent",
  /** What the user wrote. */
  "user",
  "good",
  "warn",
  "bad",
  "code",
  "heading",
  "link",
  "quote",
  /** Lines between the parts of the screen. */
  "rule",
  "added",
  "removed",
  /** The row of a list that is chosen. */
  "selected",
  /** Of code: keyword, string, comment, number, name, type. */
  "keyword",
  "string",
  "comment",
  "number",
  "name",
  "type",
] as const;
export type StyleName = (typeof styleNames)[number];
export type Theme = Readonly<Record<StyleName, Style>>;

/** What every view is handed. */
export interface ViewOptions {
  readonly columns: number;
  readonly theme: Theme;
}
