/** Where the keys of providers are, without opening any. */
import { messageOf, YoiError } from "@yoi/base";
import type { Host } from "@yoi/host";
import type { ProviderEntry } from "@yoi/model";
import type { Environment } from "../environment.ts";
import { openSecretStore } from "./secrets.ts";

/** Their values stay closed: a list must not ask for the keychain. A store that cannot be read is said, and the rest is listed. */
export async function secretIds(
  environment: Environment,
  host: Host,
  warnings: string[],
): Promise<ReadonlySet<string>> {
  try {
    return new Set((await openSecretStore(environment, host).list()).map(({ id }) => id));
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    warnings.push(messageOf(error));
    return new Set();
  }
}

/** The variable or the secret that holds a provider's key; null: there is none. */
export function keyFrom(
  { keyVariables, secret }: ProviderEntry,
  { variables }: Environment,
  secrets: ReadonlySet<string>,
): string | null {
  const variable = keyVariables.find((one) => (variables[one] ?? "").trim() !== "");
  if (variable !== undefined) return variable;
  return secret !== null && secrets.has(secret) ? `secret ${secret}` : null;
}
