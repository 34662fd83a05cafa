/** The fetch of a feature: only from hosts that it was granted, whatever the port would do. */
import { cutUtf8, utf8Length, YoiError } from "@yoi/base";
import type { FeatureFetch, FeatureId, FeatureResponse } from "@yoi/feature";
import { featureResponseBytesMax, hostMatcher } from "@yoi/tools";
import type { AskHost } from "./ask-host.ts";

export function fetchHandle(
  feature: FeatureId,
  hosts: readonly string[],
  fetch: FeatureFetch,
  askHost: AskHost,
): FeatureFetch {
  const isGranted = hostMatcher(hosts);
  return Object.freeze({
    get: (url: string, options?: { readonly signal?: AbortSignal }) =>
      askHost(async () => {
        const { signal } = options ?? {};
        const response = await fetch.get(
          checkedUrl(feature, { hosts, isGranted }, url),
          signal === undefined ? {} : { signal },
        );
        return copied(response);
      }),
  });
}

/** As the port is to see it: one spelling, so that nobody reads another host out of it. */
function checkedUrl(
  feature: FeatureId,
  {
    hosts,
    isGranted,
  }: { readonly hosts: readonly string[]; readonly isGranted: (hostname: string) => boolean },
  text: string,
): string {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new YoiError("web_refused", `${feature} asked for what is no http or https URL.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new YoiError(
      "web_refused",
      `${feature} asked ${url.hostname} with a user name in the URL: leave it out.`,
    );
  }
  if (isGranted(url.hostname)) return url.href;
  throw new YoiError(
    "web_refused",
    `${feature} may not ask ${url.hostname}: it was granted ${hosts.join(", ")}.`,
  );
}

function copied({ status, headers, text, truncated }: FeatureResponse): FeatureResponse {
  const isLong = utf8Length(text) > featureResponseBytesMax;
  return Object.freeze({
    status,
    headers: Object.freeze({ ...headers }),
    text: isLong ? cutUtf8(text, featureResponseBytesMax) : text,
    truncated: truncated || isLong,
  });
}
