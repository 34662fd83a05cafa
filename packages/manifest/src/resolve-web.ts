/** The web: off, unless the user's own file switches it on; and what it may do then. */
import { builtIn, firstSaid, ofUser, strongest } from "./layered.ts";
import type { WebChoice } from "./manifest.ts";
import type { ConfigEntry, ConfigLayers } from "./resolve-input.ts";

export function resolveWeb(layers: ConfigLayers): {
  readonly choice: WebChoice;
  readonly sources: readonly ConfigEntry[];
} {
  const enabled = strongest(layers, "web.enabled", false);
  const privates = strongest(layers, "web.allow_private_addresses", false);
  const fetches = strongest(layers, "web.fetch.enabled", true);
  const timeout = strongest(layers, "web.fetch.timeout_secs", 20);
  const redirects = strongest(layers, "web.fetch.redirect_limit", 5);
  const read = strongest(layers, "web.fetch.max_response_bytes", 2 * 1024 * 1024);
  const shown = strongest(layers, "web.fetch.max_output_bytes", 48 * 1024);
  const provider = firstSaid(ofUser(layers), "web.search.provider");
  const secret = strongest(
    layers,
    "web.search.api_key_secret",
    provider === null ? null : `web/${provider.value}/default`,
  );
  const base = strongest(layers, "web.search.base_url", null);
  const searchTimeout = strongest(layers, "web.search.timeout_secs", 15);
  const choice: WebChoice = {
    allow_private_addresses: privates.value,
    fetch:
      enabled.value && fetches.value
        ? {
            timeout_secs: timeout.value,
            redirect_limit: redirects.value,
            max_response_bytes: read.value,
            max_output_bytes: shown.value,
          }
        : null,
    search:
      enabled.value && provider !== null
        ? {
            provider: provider.value,
            api_key_secret: secret.value ?? "",
            base_url: base.value,
            timeout_secs: searchTimeout.value,
          }
        : null,
  };
  const sources: ConfigEntry[] = [
    { key: "web.enabled", ...enabled },
    { key: "web.allow_private_addresses", ...privates },
    { key: "web.fetch.enabled", ...fetches },
    { key: "web.fetch.timeout_secs", ...timeout },
    { key: "web.fetch.redirect_limit", ...redirects },
    { key: "web.fetch.max_response_bytes", ...read },
    { key: "web.fetch.max_output_bytes", ...shown },
    { key: "web.search.provider", ...(provider ?? { value: null, origin: builtIn }) },
    { key: "web.search.api_key_secret", ...secret },
    { key: "web.search.base_url", ...base },
    { key: "web.search.timeout_secs", ...searchTimeout },
  ];
  return { choice, sources };
}
