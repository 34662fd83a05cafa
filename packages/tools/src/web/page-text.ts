/** Page text: from the bytes of an answer to text, by its type and its character set. */
import { YoiError } from "@yoi/base";

export type PageKind = "html" | "text";

export interface PageText {
  readonly kind: PageKind;
  /** As the server said it, without parameters; `text/plain` when it said nothing. */
  readonly type: string;
  readonly text: string;
}

/** Of an HTML page this much is searched for its character set. */
const metaBytesMax = 1024;

const textTypes =
  /^(text\/[a-z0-9.+-]{1,60}|application\/(json|xml|javascript|x-javascript|ecmascript|yaml|x-yaml|toml|sql|graphql|x-sh|x-ndjson|ld\+json|rtf)|[a-z]{1,20}\/[a-z0-9.-]{1,60}\+(json|xml|yaml))$/;

/** Throws `web_failed` for what is not text. Bytes that the character set does not have become U+FFFD. */
export function pageText(contentType: string | undefined, body: Uint8Array): PageText {
  const [named = "", ...parameters] = (contentType ?? "").split(";").map((part) => part.trim());
  const type = named === "" ? "text/plain" : named.toLowerCase();
  const kind: PageKind = type === "text/html" || type === "application/xhtml+xml" ? "html" : "text";
  if (kind === "text" && !textTypes.test(type)) throw notText(`its type is ${shownType(type)}`);
  const label = markOf(body) ?? labelOf(parameters) ?? (kind === "html" ? metaLabel(body) : null) ?? "utf-8";
  const text = decoderOf(label).decode(body);
  if (text.includes("\0")) throw notText("it holds NUL characters");
  return { kind, type, text };
}

/** A server's words are repeated only where they are a type. */
function shownType(type: string): string {
  return /^[a-z0-9.+-]{1,40}\/[a-z0-9.+-]{1,80}$/.test(type) ? type : "none that is known";
}

function notText(why: string): YoiError {
  return new YoiError("web_failed", `The page is not text (${why}): only text is shown.`);
}

/** A byte order mark says more than anybody's words. */
function markOf([first, second]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

function labelOf(parameters: readonly string[]): string | null {
  for (const parameter of parameters) {
    const label = /^charset\s*=\s*["']?([^"'\s]+)["']?$/i.exec(parameter)?.[1];
    if (label !== undefined) return label;
  }
  return null;
}

function metaLabel(body: Uint8Array): string | null {
  const head = Buffer.from(body.subarray(0, metaBytesMax)).toString("latin1");
  return /<meta[^>]+charset\s*=\s*["']?\s*([a-z0-9_:-]+)/i.exec(head)?.[1] ?? null;
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder("utf-8");
  }
}
