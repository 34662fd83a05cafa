/** Bare text: what a page says without its tags, in one pass over it, for pages that no library gets through. */

export interface BareText {
  readonly title: string;
  readonly text: string;
}

/** Elements whose content is no text to read. */
const unread: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "svg", "title"]);
const inLine: ReadonlySet<string> = new Set(
  "a abbr b code em i kbd mark q s small span strong sub sup u".split(" "),
);
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Takes time that grows with the page and with nothing in it. */
export function bareText(html: string): BareText {
  const parts: string[] = [];
  let title = "";
  for (let at = 0; at < html.length;) {
    const open = html.indexOf("<", at);
    if (open < 0) {
      parts.push(html.slice(at));
      break;
    }
    parts.push(html.slice(at, open));
    const name = /^[a-z][a-z0-9]*/.exec(html.slice(open + 1, open + 17).toLowerCase())?.[0] ?? null;
    const isMarkup = name !== null || /[/!?]/.test(html.charAt(open + 1));
    if (!isMarkup) {
      parts.push("<");
      at = open + 1;
      continue;
    }
    const isComment = html.startsWith("<!--", open);
    const end = isComment ? html.indexOf("-->", open + 4) : html.indexOf(">", open);
    // What is never closed is all of the rest.
    if (end < 0) break;
    at = end + (isComment ? "-->".length : 1);
    if (name !== null && unread.has(name)) {
      const close = endOf(name, html, at);
      if (name === "title" && title === "") title = html.slice(at, close);
      at = close;
    }
    const closed = /^\/([a-z0-9]+)/.exec(html.slice(open + 1, open + 17).toLowerCase())?.[1];
    if (!inLine.has(name ?? closed ?? "")) parts.push("\n");
  }
  return { title: plain(title).replace(/\s+/g, " ").trim(), text: plain(parts.join("")) };
}

/** Where the content of an element ends that holds no others. */
function endOf(name: string, html: string, from: number): number {
  const close = new RegExp(`</${name}`, "gi");
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

function plain(text: string): string {
  return tidy(
    text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) ? "\ufffd" : String.fromCodePoint(code);
    }),
  );
}

/** Without white space at the ends of lines, and without more than one empty line after another. */
export function tidy(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
