/** Code in colours: the token classes of highlight.js as styles of the theme. */
import hljs from "highlight.js/lib/common";
import type { Line } from "./line.ts";
import { safeText } from "./safe.ts";
import type { StyleName, Theme } from "./theme.ts";

/** Code that is longer is shown plain: highlighting takes time that grows with it. */
export const highlightCharsMax = 32 * 1024;

export function highlightLines(code: string, language: string | null, theme: Theme): Line[] {
  const text = safeText(code);
  return text.split("\n");
}
