/** Targets: what a URL leads to, decided before anything is sent: scheme, host, and the one address that will be connected to. */
import { messageOf, YoiError } from "@yoi/base";
import { addressFamily } from "./address.ts";

/** Characters. */
export const urlCharsMax = 8192;

/** All addresses of a name, as the machine resolves it; throws when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface TargetRules {
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
  /** What refuses a redirect to a URL, to follow "is refused by"; null: nothing does. */
  readonly mayFollow: (url: string) => string | null;
}

export interface Target {
  readonly url: URL;
  /** Checked, and the only one that is connected to: no second look-up can give another. */
  readonly address: string;
}

/** Parses what a model or a redirect gave. Throws `usage` for what is no web address, `web_refused` for one that may not be asked. */
export function parseTarget(text: string, base?: URL): URL {
  if (text.length > urlCharsMax)
    throw new YoiError("usage", `The URL has ${text.length} characters, and the limit is ${urlCharsMax}.`);
  const url = URL.parse(text, base?.href);
  if (url === null)
    throw new YoiError("usage", `${shown(text)} is not a URL: write it as https://host/path.`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new YoiError("web_refused", `${shown(text)} is not fetched: only http and https URLs are.`);
  if (url.username !== "" || url.password !== "")
    throw new YoiError(
      "web_refused",
      "The URL holds a user name or a password, which is never sent: leave it out.",
    );
  url.hash = "";
  return url;
}

/** Resolves a host once and checks every address that it has; one that may not be reached refuses the host, whatever the others are. */
export async function resolveTarget(url: URL, rules: TargetRules, signal: AbortSignal): Promise<Target> {
  const host = hostOf(url);
  const addresses = addressFamily(host) === 0 ? await addressesOf(host, rules, signal) : [host];
  const [address] = addresses;
  if (address === undefined)
    throw new YoiError("web_failed", `${shown(host)} has no address: check the name.`);
  const refused = addresses.find((each) => addressFamily(each) === 0 || !rules.isAllowed(each));
  if (refused !== undefined) {
    const how = refused === host ? "" : `, which is ${refused},`;
    throw new YoiError(
      "web_refused",
      `${shown(host)}${how} is not a public address, so it was not asked: a user who wants it sets allow_private_addresses below [web] in the user's config.toml.`,
    );
  }
  return { url, address };
}

/** The host as it is looked up: without the brackets of an IPv6 literal, and without the dot that says that it is whole. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

async function addressesOf(
  host: string,
  rules: TargetRules,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isLocalName(host) && !rules.isAllowed("127.0.0.1")) {
    throw new YoiError("web_refused", `${shown(host)} is this machine, so it was not asked.`);
  }
  try {
    return await untilAborted(rules.resolve(host), signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw new YoiError(
      "web_failed",
      `${shown(host)} could not be resolved (${messageOf(thrown)}): check the name.`,
      {
        cause: thrown,
      },
    );
  }
}

function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text);
}

/** A look-up cannot be ended, but whoever waits for it can. */
async function untilAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([pending, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
