/** Credentials: from the environment or the store of secrets. Whatever is read here is known from then on, and taken out of all output. */
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { messageOf, YoiError } from "@yoi/base";
import { type Host, secureBytes } from "@yoi/host";
import { createSecretStore, type PathProtection, type SecretStore } from "@yoi/keep";
import { providers } from "@yoi/model";
import type { Environment } from "../environment.ts";
import { knownSecrets } from "../known-secrets.ts";
import { openKeychain } from "./keychain.ts";

export function openSecretStore(environment: Environment, { files, clock, timers }: Host): SecretStore {
  return createSecretStore({
    files,
    clock,
    dataDir: environment.directories.data,
    openKeychain: () => openKeychain(timers),
    inspect,
    secureBytes,
  });
}

/**
 * The value of a secret, for whoever it is meant for, as it is sent: without white space around it; null: there is none. Throws what
 * `SecretStore.get` throws.
 */
export async function secretFor(id: string, environment: Environment, host: Host): Promise<string | null> {
  const value = (await openSecretStore(environment, host).get(id))?.trim() ?? "";
  if (value === "") return null;
  knownSecrets.learn({ id, value });
  return value;
}

/** A credential that a variable holds; undefined: it is not set, or empty. */
export function credentialOf(variable: string, { variables }: Environment): string | undefined {
  const value = variables[variable]?.trim();
  if (value === undefined || value === "") return undefined;
  knownSecrets.learn({ id: variable, value });
  return value;
}

/** A key that is sent. */
export interface Credential {
  readonly key: string;
  /** Where it came from, in a few words. */
  readonly from: string;
}

/** The first of the variables that is set, else the secret; undefined: there is neither. Throws what `SecretStore.get` throws. */
export async function credentialFor(
  { keyVariables, secret }: { readonly keyVariables: readonly string[]; readonly secret: string | null },
  environment: Environment,
  host: Host,
): Promise<Credential | undefined> {
  for (const variable of keyVariables) {
    const value = credentialOf(variable, environment);
    if (value !== undefined) return { key: value, from: variable };
  }
  const value = secret === null ? null : await secretFor(secret, environment, host);
  return value === null ? undefined : { key: value, from: `the secret ${secret}` };
}

/** All that yoi may use a variable for, also in a run with another provider: a tool may find it elsewhere. */
export function learnEnvironment(environment: Environment): void {
  for (const { keyVariables } of providers)
    for (const variable of keyVariables) credentialOf(variable, environment);
}

/** How a path of yoi's own is protected. */
export async function inspect(path: string): Promise<PathProtection | null> {
  const stat = await lstat(path).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new YoiError("permission_denied", `${path} cannot be looked at: ${messageOf(error)}.`, {
      cause: error,
      place: { path },
    });
  });
  if (stat === null) return null;
  const stamp = [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(" ");
  return { kind: kindOf(stat), mode: stat.mode & 0o777, own: stat.uid === process.getuid?.(), stamp };
}

function kindOf(stat: Stats): PathProtection["kind"] {
  if (stat.isSymbolicLink()) return "link";
  if (stat.isFile()) return "file";
  return stat.isDirectory() ? "directory" : "other";
}
