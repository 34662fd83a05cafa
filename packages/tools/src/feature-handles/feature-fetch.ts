/** The network of a feature: GET from the hosts that it was granted, under the same rules as the web tools. */
import { cutUtf8, type Timers, YoiError } from "@yoi/base";
import { type HostMatcher, hostMatcher } from "./host-patterns.ts";

/** Of the text of an answer. */
export const featureResponseBytesMax = 64 * 1024;
export const featureFetchTimeoutMs = 30_000;
export const featureRedirectsMax = 5;
/** Of a body: no character set takes more than four bytes for a character that takes one in UTF-8. */
const bodyBytesMax = 4 * featureResponseBytesMax;

export interface FeatureFetchOptions {
  /** `name`, or `*.name` for all below one. */
  readonly hosts: readonly string[];
  readonly allowPrivateAddresses: boolean;
  readonly timers: Timers;
}

export interface GrantedResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
  readonly truncated: boolean;
}

export interface GrantedFetch {
  /** Whatever the status is. Throws web_refused, web_failed or usage, and the signal's reason when it aborts. */
  get(url: string, options?: { readonly signal?: AbortSignal }): Promise<GrantedResponse>;
}

/** Throws `usage` for a host that is none. */
export function featureFetch({ hosts, allowPrivateAddresses, timers }: FeatureFetchOptions): GrantedFetch {
  const isGranted = hostMatcher(hosts);
  return {
    get: async (url, { signal = new AbortController().signal } = {}) => {
      if (typeof url !== "string") throw new YoiError("usage", "The URL is not a text.");
      const [
        { isPublicAddress },
        { fetchPage, withinTimeout },
        { pageText },
        { systemResolve },
        { parseTarget },
        words,
      ] = await Promise.all([
        import("../web/address.ts"),
        import("../web/fetch-page.ts"),
        import("../web/page-text.ts"),
        import("../web/resolve.ts"),
        import("../web/target.ts"),
        import("../web/words.ts"),
      ]);
      const { host, hostname } = parseTarget(url);
      if (!isGranted(hostname))
        throw new YoiError(
          "web_refused",
          `${JSON.stringify(host.slice(0, 200))} was not asked: it is not among ${granted}.`,
        );
      const rules = {
        resolve: systemResolve,
        isAllowed: allowPrivateAddresses ? () => true : isPublicAddress,
        mayFollow: (to: string) => refusalOf(to, isGranted),
      };
      return await withinTimeout({ timeoutMs: featureFetchTimeoutMs, timers, signal }, async (limited) => {
        const { reply } = await fetchPage(url, {
          rules,
          limits: { redirectsMax: featureRedirectsMax, bytesMax: bodyBytesMax },
          signal: limited,
          headers: { "user-agent": words.userAgent, accept: "*/*" },
        });
        const whole = pageText(reply.headers["content-type"], reply.body).text;
        const text = cutUtf8(whole, featureResponseBytesMax);
        return {
          status: reply.status,
          headers: namedHeaders(reply.headers),
          text,
          truncated: reply.cut || text.length < whole.length,
        };
      });
    },
  };
}

const granted = "the hosts that this feature was granted";

function refusalOf(url: string, isGranted: HostMatcher): string | null {
  return isGranted(URL.parse(url)?.hostname ?? "") ? null : granted;
}

function namedHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
