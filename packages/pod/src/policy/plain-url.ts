/** A URL in the one spelling that rules are matched against, so that none is passed by writing it in another. */

/** As URLs are parsed, without what follows `#`, without a dot at the end of the host, and with no letter percent-encoded that need not be. What is no URL stays as it is. */
export function plainUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  url.hash = "";
  url.hostname = url.hostname.replace(/\.$/, "");
  const decoded = url.href.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const letter = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[a-z0-9._~-]/i.test(letter) ? letter : escape.toUpperCase();
  });
  // Decoded it may hold what a parser takes out, such as `..`.
  return URL.parse(decoded)?.href ?? decoded;
}
