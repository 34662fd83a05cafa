/** SGR sequences in a line: which styles are open at its end. */

const sgr = /\u001b\[([\d;]*)m/g;
export const resetStyles = "\u001b[0m";

/** `line` with a reset behind it where a style is still open. */
export function closeStyles(line: string): string {
  if (!line.includes("\u001b[")) return line;
  const open = new Set<string>();
  for (const match of line.matchAll(sgr)) follow(open, match[1] ?? "");
  return open.size === 0 ? line : line + resetStyles;
}

function follow(open: Set<string>, parameters: string): void {
  const codes = (parameters === "" ? "0" : parameters).split(";").map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) open.clear();
    else if (code === 39) open.delete("foreground");
    else if (code === 49) open.delete("background");
    else if (code === 22) open.delete("weight");
    else if (code >= 23 && code <= 29) open.delete(String(code - 20));
    else if (code === 38 || code === 48) {
      open.add(code === 38 ? "foreground" : "background");
      at += codes[at + 1] === 5 ? 2 : 4;
    } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) open.add("foreground");
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) open.add("background");
    else if (code <= 2) open.add("weight");
    else if (code <= 9) open.add(String(code));
  }
}
