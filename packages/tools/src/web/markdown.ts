/** Markdown: a web page as its article, or as a whole where none is found. Takes time and memory that a page can choose: for a thread of its own. */
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import Turndown from "turndown";
import { tidy } from "./bare-text.ts";

/** A longer page is shown without looking for its article. */
export const articleCharsMax = 1024 * 1024;
/** Elements inside each other. A deeper page is no document but a trap. */
export const nestingMax = 256;

export interface Markdown {
  readonly title: string;
  readonly text: string;
  /** False: no article was found, and the whole page is shown. */
  readonly isArticle: boolean;
}

/** What says nothing to a reader of text. */
const dropped =
  "script,style,noscript,template,svg,canvas,iframe,object,embed,form,dialog,input,select,button";
const navigation = "nav,aside,footer,header";

/** As much of a document as is used here: the types of the libraries are those of a browser. */
interface PageNode {
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly parentNode: PageNode | null;
  readonly textContent: string | null;
}
interface PageElement extends PageNode {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}
interface Page {
  cloneNode(deep: boolean): Page;
  readonly documentElement: PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** `pageUrl` makes links whole. Nothing of the page runs. Null for a page that is nested too deep. */
export function toMarkdown(html: string, pageUrl: URL, wholePage: boolean): Markdown | null {
  const page = parse(html, pageUrl);
  if (isTooDeep(page.documentElement)) return null;
  const title = oneLine(page.querySelector("title")?.textContent ?? "");
  if (!wholePage && html.length <= articleCharsMax) {
    // It takes apart what it reads.
    const read = page.cloneNode(true);
    const article = new Readability<PageNode>(read, { serializer: (node) => node }).parse();
    if (article?.content) {
      const text = markdown(article.content);
      return { title: oneLine(article.title ?? "") || title, text, isArticle: true };
    }
  }
  if (!wholePage) for (const element of page.querySelectorAll(navigation)) element.remove();
  return { title, text: markdown(page.documentElement), isArticle: false };
}

function parse(html: string, pageUrl: URL): Page {
  // The parser leaves a fragment without the elements around it.
  const whole = /<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;
  const page: Page = parseHTML(whole).document;
  for (const element of page.querySelectorAll(dropped)) element.remove();
  for (const element of page.querySelectorAll("[href],[src]")) makeWhole(element, pageUrl);
  return page;
}

function markdown(root: PageNode): string {
  const turndown = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
  });
  return tidy(turndown.remove(["title", "head"]).turndown(root));
}

/** Without recursion, which is what it protects. */
function isTooDeep(root: PageElement): boolean {
  let depth = 0;
  for (let node: PageNode | null = root; node !== null;) {
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      if (depth > nestingMax) return true;
      continue;
    }
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      depth -= 1;
    }
    if (node === null || node === root) return false;
    node = node.nextSibling;
  }
  return false;
}

function makeWhole(element: PageElement, pageUrl: URL): void {
  for (const name of ["href", "src"]) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    const url = URL.parse(value, pageUrl.href);
    if (url !== null && (url.protocol === "http:" || url.protocol === "https:"))
      element.setAttribute(name, url.href);
    else element.removeAttribute(name);
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
