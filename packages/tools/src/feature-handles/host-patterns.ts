/** Host patterns: which hosts a feature may ask, as names and `*.name`, compared as URLs write them. */
import { YoiError } from "@yoi/base";

/** True for a host as `URL.hostname` gives it. */
export type HostMatcher = (hostname: string) => boolean;

/** `name` is that host and `*.name` every one below it; an address is itself alone. Throws `usage` for what is neither. */
export function hostMatcher(patterns: readonly string[]): HostMatcher {
  const exact = new Set<string>();
  const below: string[] = [];
  for (const pattern of patterns) {
    const isBelow = pattern.startsWith("*.");
    const host = canonicalHost(isBelow ? pattern.slice("*.".length) : pattern);
    if (host === null || (isBelow && isAddress(host)))
      throw new YoiError(
        "usage",
        `${JSON.stringify(pattern.slice(0, 200))} is no host that can be granted: write a name, or *. before one.`,
      );
    if (isBelow) below.push(`.${host}`);
    else exact.add(host);
  }
  return (hostname) => {
    const host = withoutDot(hostname);
    return exact.has(host) || (!isAddress(host) && below.some((end) => host.endsWith(end)));
  };
}

/** In lower case and Punycode, without the dot that says that it is whole; null: not a host and nothing else. */
function canonicalHost(text: string): string | null {
  // What else a URL has would be taken for a part of it.
  if (text === "" || /[\s/\\?#@*%]/.test(text)) return null;
  const isBracketed = text.startsWith("[") && text.endsWith("]");
  if (!isBracketed && text.includes(":")) return null;
  const hostname = URL.parse(`http://${text}/`)?.hostname ?? "";
  return hostname === "" ? null : withoutDot(hostname);
}

function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}

/** As URLs write them, whatever way they were written in. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname);
}
