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
  readonly limits: Omit<FetchLimits, "timeoutMs">;
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

/** Runs `work` with a signal that aborts also when the time is over, then with `web_failed`. */
export async function withinTimeout<T>(
  {
    timeoutMs,
    timers,
    signal,
  }: { readonly timeoutMs: number; readonly timers: Timers; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const expired = new AbortController();
  const cancel = timers.after(timeoutMs, () =>
    expired.abort(
      new YoiError(
        "web_failed",
        `The page did not come within ${timeoutMs / 1000} s: try again later, or another address.`,
      ),
    ),
  );
  try {
    return await work(AbortSignal.any([signal, expired.signal]));
  } finally {
    cancel();
  }
}

/** The answer at the end of all redirects, whatever its status. Throws `usage`, `web_refused` or `web_failed`, and the signal's reason when it aborts. */
export async function fetchPage(text: string, options: FetchOptions): Promise<FetchedPage> {
  const { limits, signal, rules, headers } = options;
  const redirects: string[] = [];
  for (let url = parseTarget(text); ;) {
    const target = await resolveTarget(url, rules, signal);
    signal.throwIfAborted();
    const reply = await exchange(target, { headers, bytesMax: limits.bytesMax, signal });
    const next = redirecting.has(reply.status) ? reply.headers["location"] : undefined;
    if (next === undefined) return { url, redirects, reply };
    if (redirects.length === limits.redirectsMax) {
      throw new YoiError(
        "web_failed",
        `The page redirects more than ${limits.redirectsMax} times: ask for where it should end.`,
      );
    }
    url = nextHop(url, next, rules);
    redirects.push(url.href);
  }
}

/** True for an answer that is what was asked for. */
export function isSuccess({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

function nextHop(from: URL, location: string, rules: TargetRules): URL {
  const to = redirectTarget(from, location);
  if (from.protocol === "https:" && to.protocol === "http:")
    throw new YoiError(
      "web_refused",
      `${from.host} redirects from https to http (${to.host}), which is not followed.`,
    );
  const because = rules.mayFollow(to.href);
  if (because !== null)
    throw new YoiError(
      "web_refused",
      `${from.host} redirects to ${to.host}, which is refused by ${because}.`,
    );
  return to;
}

/** What a server gives wrong is no mistake of whoever asked, and it is not repeated: a sentence about it is no place for its words. */
function redirectTarget(from: URL, location: string): URL {
  try {
    return parseTarget(location, from);
  } catch (cause) {
    const isRefused = cause instanceof YoiError && cause.code === "web_refused";
    throw new YoiError(
      isRefused ? "web_refused" : "web_failed",
      `${from.host} redirects to ${isRefused ? "what is never asked: only http and https are, and no URL with a password" : "what is no URL that can be asked: try another address"}.`,
      { cause },
    );
  }
}
