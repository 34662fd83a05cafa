/** Base URLs: what a user configures, checked, as what an adapter is given. */
import { type ProviderKind, YoiError } from "@yoi/base";

/** How each vendor's own tools read a base URL: Anthropic's and Google's name the host, OpenAI's has the version in it. */
const withVersion: { readonly [kind in ProviderKind]: (path: string) => string } = {
  anthropic: (path) => (/\/v\d+$/.test(path) ? path : `${path}/v1`),
  google: (path) => (/\/v\d+[a-z]*$/.test(path) ? path : `${path}/v1beta`),
  openai: (path) => (path === "" ? "/v1" : path),
  "openai-compatible": (path) => (path === "" ? "/v1" : path),
};

/**
 * `configured` with the version of the protocol in its path, and no slash at its end. Throws config_invalid, naming what sets it (`setBy`)
 * and at most the host: a wrong value may hold a password or a token anywhere.
 */
export function baseUrl(configured: string, kind: ProviderKind, setBy: string): URL {
  const invalid = (what: string): YoiError =>
    new YoiError("config_invalid", `The base URL ${what}: set ${setBy} to something like https://host.`);
  let url: URL;
  try {
    url = new URL(configured.trim());
  } catch {
    throw invalid("is not a URL");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalid("begins with neither https:// nor http://");
  if (url.username !== "" || url.password !== "") {
    throw new YoiError(
      "config_invalid",
      `The base URL for ${url.host} holds a user name or password: take them out of ${setBy}.`,
    );
  }
  if (url.search !== "" || url.hash !== "") throw invalid(`for ${url.host} has a query or a fragment`);
  url.pathname = withVersion[kind](url.pathname.replace(/\/+$/, ""));
  return url;
}

/** True when a key sent to `url` could be read on the way. */
export function inTheClear(url: URL): boolean {
  const loopback = url.hostname === "localhost" || url.hostname === "[::1]" || /^127\./.test(url.hostname);
  return url.protocol === "http:" && !loopback;
}
