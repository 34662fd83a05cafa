/** Fetching a page: redirects are followed by hand, and each hop is checked as the first was. */
import { type Timers, YoiError } from "@yoi/base";
import { exchange, type Reply } from "./exchange.ts";
import { parseTarget, resolveTarget, type TargetRules } from "./target.ts";

export interface FetchLimits {
  /** For all hops together. */
  readonly timeoutMs: number;
  readonly redirectsMax: number;
  readonly bytesMax: number;
}

export interface FetchOptions {
  readonly rules: TargetRules;
  readonly limits: FetchLimits;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
}

export interface FetchedPage {
  /** Where the redirects ended. */
  readonly url: URL;
  /** Where they led through, the first URL left out. */
  readonly redirects: readonly string[];
  readonly reply: Reply;
}

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Throws `usage`, `web_refused` or `web_failed` (also for a status that is no success), and the signal's reason when it aborts. */
export async function fetchPage(text: string, options: FetchOptions): Promise<FetchedPage> {
  const { limits, timers, signal, rules } = options;
  const expired = new AbortController();
  const seconds = limits.timeoutMs / 1000;
  const tooSlow = new YoiError(
    "web_failed",
    `The page did not come within ${seconds} s: try again later, or another address.`,
  );
  const cancel = timers.after(limits.timeoutMs, () => expired.abort(tooSlow));
  const both = AbortSignal.any([signal, expired.signal]);
  const redirects: string[] = [];
  try {
    for (let url = parseTarget(text); ;) {
      const target = await resolveTarget(url, rules, both);
      both.throwIfAborted();
      const reply = await exchange(target, {
        headers: options.headers,
        bytesMax: limits.bytesMax,
        signal: both,
      });
      const next = redirecting.has(reply.status) ? reply.headers["location"] : undefined;
      if (next === undefined) return { url, redirects, reply: successful(url, reply) };
      if (redirects.length === limits.redirectsMax) {
        throw new YoiError(
          "web_failed",
          `The page redirects more than ${limits.redirectsMax} times: ask for where it should end.`,
        );
      }
      const to = parseTarget(next, url);
      if (url.protocol === "https:" && to.protocol === "http:")
        throw new YoiError(
          "web_refused",
          `${url.host} redirects from https to http (${to.host}), which is not followed.`,
        );
      url = to;
      redirects.push(url.href);
    }
  } finally {
    cancel();
  }
}

function successful(url: URL, reply: Reply): Reply {
  if (reply.status >= 200 && reply.status < 300) return reply;
  throw new YoiError("web_failed", `${url.host} answered with status ${reply.status}: check the address.`);
}
