/** Base URLs: what a user configures, checked, as what an adapter is given. */
import { YoiError } from "@yoi/base";

/**
 * `configured` with `/v1` at its end, as `ANTHROPIC_BASE_URL` is read by the vendor's own tools. Throws config_invalid, naming `variable`
 * and at most the host: a wrong value may hold a password or a token anywhere.
 */
export function baseUrl(configured: string, variable: string): URL {
  const invalid = (what: string): YoiError =>
    new YoiError("config_invalid", `The base URL ${what}: set ${variable} to something like https://host.`);
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
      `The base URL for ${url.host} holds a user name or password: take them out of ${variable}.`,
    );
  }
  if (url.search !== "" || url.hash !== "") throw invalid(`for ${url.host} has a query or a fragment`);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = /\/v1$/.test(path) ? path : `${path}/v1`;
  return url;
}

/** True when a key sent to `url` could be read on the way. */
export function inTheClear(url: URL): boolean {
  const loopback = url.hostname === "localhost" || url.hostname === "[::1]" || /^127\./.test(url.hostname);
  return url.protocol === "http:" && !loopback;
}
