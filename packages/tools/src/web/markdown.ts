/** Markdown: a web page as its article, or as a whole where none is found. The libraries load when the first page is read. */

/** A longer page is read without looking for its article: the parser's time grows with it. */
export const articleCharsMax = 2 * 1024 * 1024;

export interface Markdown {
  readonly title: string;
  readonly text: string;
  /** False: no article was found, and the whole page is shown. */
  readonly isArticle: boolean;
}

/** What says nothing to a reader of text. */
const dropped = [
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "canvas",
  "iframe",
  "object",
  "embed",
  "form",
  "dialog",
];
const navigation = ["nav", "aside", "footer", "header"];

/** `pageUrl` makes links whole. Nothing of the page runs. */
export async function toMarkdown(html: string, pageUrl: URL, wholePage: boolean): Promise<Markdown> {
  const [{ parseHTML }, { Readability }, { default: Turndown }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
    import("turndown"),
  ]);
  const parse = () => {
    const { document } = parseHTML(html);
    for (const element of document.querySelectorAll(dropped.join(","))) element.remove();
    for (const link of document.querySelectorAll("a[href],img[src]")) makeWhole(link, pageUrl);
    return document;
  };
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  const document = parse();
  const title = (document.querySelector("title")?.textContent ?? "").trim().replace(/\s+/g, " ");
  const article = wholePage || html.length > articleCharsMax ? null : new Readability(document).parse();
  if (article?.content) {
    return {
      title: article.title?.trim() || title,
      text: tidy(turndown.turndown(article.content)),
      isArticle: true,
    };
  }
  // Readability takes apart what it reads.
  const again = parse();
  if (!wholePage) for (const element of again.querySelectorAll(navigation.join(","))) element.remove();
  const body = again.querySelector("body") ?? again.documentElement;
  return { title, text: tidy(turndown.turndown(body?.innerHTML ?? "")), isArticle: false };
}

interface LinkElement {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
}

function makeWhole(element: LinkElement, pageUrl: URL): void {
  for (const name of ["href", "src"]) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    const url = URL.parse(value, pageUrl.href);
    if (url !== null && (url.protocol === "http:" || url.protocol === "https:"))
      element.setAttribute(name, url.href);
    else element.removeAttribute(name);
  }
}

function tidy(markdown: string): string {
  return markdown
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
