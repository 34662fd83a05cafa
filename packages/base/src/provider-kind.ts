/** Which protocol a provider speaks: each kind is one adapter, and any number of providers. */

export const providerKinds = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type ProviderKind = (typeof providerKinds)[number];
