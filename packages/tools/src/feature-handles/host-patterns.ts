/** Host patterns: the one grammar of the hosts that a feature declares, is granted, and may ask. */
import { YoiError } from "@yoi/base";

/** True for a host as `URL.hostname` gives it. */
export type HostMatcher = (hostname: string) => boolean;

/** A name or an IPv4 address as URLs write it, in lower case and Punycode; or `*.` and a name. Nothing else of a URL, and no IPv6 address. */
export function isHostPattern(text: string): boolean {
  const name = nameOf(text);
  if (!labels.test(name) || (name !== text && isAddress(name))) return false;
  // A number in the place of a name is an address, and has one spelling.
  return URL.parse(`http://${name}/`)?.hostname === name;
}

/** True when whoever may ask `wide` may ask `narrow`: `*.name` is every host below it, and not itself. What is no pattern is never covered. */
export function coversHost(wide: string, narrow: string): boolean {
  if (!isHostPattern(wide) || !isHostPattern(narrow)) return false;
  return wide === narrow || (nameOf(wide) !== wide && !isAddress(narrow) && narrow.endsWith(wide.slice(1)));
}

/** Throws `usage` for what is no pattern. */
export function hostMatcher(patterns: readonly string[]): HostMatcher {
  for (const pattern of patterns)
    if (!isHostPattern(pattern))
      throw new YoiError(
        "usage",
        `${JSON.stringify(pattern.slice(0, 200))} is no host that can be granted: write a name in lower case, or *. before one.`,
      );
  return (hostname) => {
    // A dot at the end says that the name is whole.
    const host = hostname.replace(/\.$/, "");
    return patterns.some((pattern) => coversHost(pattern, host));
  };
}

const labels = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

function nameOf(pattern: string): string {
  return pattern.startsWith("*.") ? pattern.slice("*.".length) : pattern;
}

function isAddress(name: string): boolean {
  return /(^|\.)\d+$/.test(name);
}
