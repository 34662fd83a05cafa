/** The keys of `[web]`: what may be fetched and who is asked to search. Only the user's own file switches anything on. */
import type { SettingSpec } from "./config-keys.ts";
import { isKeyLike, isOneOf, isWebUrl, isWholeNumber } from "./config-values.ts";

export const searchProviders = ["brave", "searxng"] as const;
export type SearchProvider = (typeof searchProviders)[number];

export interface WebSettings {
  readonly "web.enabled": boolean;
  readonly "web.allow_private_addresses": boolean;
  readonly "web.fetch.enabled": boolean;
  readonly "web.fetch.timeout_secs": number;
  readonly "web.fetch.redirect_limit": number;
  readonly "web.fetch.max_response_bytes": number;
  readonly "web.fetch.max_output_bytes": number;
  readonly "web.search.provider": SearchProvider;
  readonly "web.search.api_key_secret": string;
  readonly "web.search.base_url": string;
  readonly "web.search.timeout_secs": number;
}

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const refusedInProject = (): string => "may not be set";

/** A project may switch off. */
const flag: SettingSpec<boolean> = {
  allowed: "true or false",
  accepts: isBoolean,
  refusedInProject: (value) => (value ? "may not be true" : null),
};
const wholeNumber = (unit: string, min: number, max: number): SettingSpec<number> => ({
  allowed: `a whole number${unit} from ${min} to ${max}`,
  accepts: (value) => isWholeNumber(value, min, max),
  refusedInProject,
});

export const webSettingSpecs: { readonly [K in keyof WebSettings]: SettingSpec<WebSettings[K]> } = {
  "web.enabled": flag,
  "web.allow_private_addresses": flag,
  "web.fetch.enabled": flag,
  "web.fetch.timeout_secs": wholeNumber(" of seconds", 1, 300),
  "web.fetch.redirect_limit": wholeNumber("", 0, 20),
  "web.fetch.max_response_bytes": wholeNumber(" of bytes", 1024, 64 * 1024 * 1024),
  "web.fetch.max_output_bytes": wholeNumber(" of bytes", 512, 65_536),
  "web.search.provider": {
    allowed: 'one of "brave" and "searxng"',
    accepts: (value) => isOneOf(value, searchProviders),
    refusedInProject,
  },
  "web.search.api_key_secret": {
    allowed: "the id of a secret, as in `yoi secret set ID`",
    accepts: (value): value is string =>
      typeof value === "string" && /^[A-Za-z0-9._/-]{1,128}$/.test(value) && !isKeyLike(value),
    nearKeys: true,
    refusedInProject,
  },
  "web.search.base_url": {
    allowed: "an http or https URL without user, password, query or fragment",
    accepts: isWebUrl,
    refusedInProject,
  },
  "web.search.timeout_secs": wholeNumber(" of seconds", 1, 300),
};
