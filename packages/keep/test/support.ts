/** A store over a simulated disk, with a keychain that can be taken away, and paths whose protection a test sets. */
import { createHash } from "node:crypto";
import { type MemoryHost, memoryHost } from "@yoi/host";
import {
  createSecretStore,
  type InspectPath,
  type Keychain,
  type PathProtection,
  type SecretStore,
} from "../src/index.ts";

/** What a simulated disk says of its paths: all of them are the user's alone. */
export function inspectOf({ files }: Pick<MemoryHost, "files">): InspectPath {
  return async (path) => {
    const stat = await files.stat(path);
    if (stat === null) return null;
    return { kind: stat.kind, mode: stat.kind === "directory" ? 0o700 : 0o600, own: true };
  };
}

export const dataDir = "/data";
export const secretsDir = "/data/keep/secrets";

export interface Bench {
  readonly host: MemoryHost;
  readonly store: SecretStore;
  readonly keys: Map<string, Uint8Array>;
  readonly protections: Map<string, PathProtection>;
  /** How often the keychain was asked for. */
  opened(): number;
}

export interface BenchOptions {
  readonly host?: MemoryHost;
  readonly keys?: Map<string, Uint8Array>;
  /** Why there is no keychain. */
  readonly missing?: string;
  readonly keychain?: Keychain;
  /** Tells the randomness of two processes apart. */
  readonly process?: string;
}

export function keychainOf(keys: Map<string, Uint8Array>): Keychain {
  return { get: async (name) => keys.get(name) ?? null, set: async (name, key) => void keys.set(name, key) };
}

export function bench(options: BenchOptions = {}): Bench {
  const host = options.host ?? memoryHost({ seed: 1 });
  const keys = options.keys ?? new Map<string, Uint8Array>();
  const protections = new Map<string, PathProtection>();
  let opened = 0;
  let drawn = 0;
  const store = createSecretStore({
    files: host.files,
    clock: host.clock,
    dataDir,
    openKeychain: async () => {
      opened += 1;
      return options.missing === undefined
        ? { keychain: options.keychain ?? keychainOf(keys) }
        : { missing: options.missing };
    },
    inspect: async (path) => protections.get(path) ?? (await inspectOf(host)(path)),
    secureBytes: (length) => {
      drawn += 1;
      const bytes = createHash("sha512")
        .update(`${options.process ?? ""} ${drawn}`)
        .digest();
      return Uint8Array.from(bytes.subarray(0, length));
    },
  });
  return { host, store, keys, protections, opened: () => opened };
}

export async function textOf(host: MemoryHost, id: string): Promise<string> {
  const bytes = await host.files.read(`${secretsDir}/${id.replaceAll("/", "+")}.json`);
  return Buffer.from(bytes ?? []).toString("utf8");
}
