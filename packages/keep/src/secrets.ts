/** The store of secrets: one file each below `<data>/keep/secrets/`, so that two writers at once lose nothing. */
import { join } from "node:path/posix";
import { type Clock, messageOf, YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import type { InspectPath, Keychain, SecureBytes } from "./ports.ts";
import { leftoversIn, removeOldLeftovers } from "./leftovers.ts";
import { arePrivate, isPrivate } from "./private-path.ts";
import {
  type DecodedSecret,
  decodeSecret,
  encodeSecret,
  keyBytes,
  seal,
  type StoredSecret,
  unseal,
} from "./secret-file.ts";
import { checkSecretId, fileNameOf, idOfFileName } from "./secret-id.ts";

/** Of a value, in UTF-8. */
export const secretBytesMax = 16 * 1024;
/** A value of control characters alone takes six times its size in JSON; the rest is for the fields around it. */
export const secretFileBytesMax = 8 * secretBytesMax;
export const secretsMax = 256;
const words = {
  rule: "secrets are kept only where nobody else can get at them",
  afterwards: "replace the secrets that were in it",
};

export type SecretProtection = StoredSecret["protection"];

export interface SecretEntry {
  readonly id: string;
  /** damaged: the file says neither. */
  readonly protection: SecretProtection | "damaged";
}

export interface SetSecret {
  readonly protection: SecretProtection;
  /** Why it is not in the care of a keychain. */
  readonly reason?: string;
}

/** `missing` says why there is none, as the end of a sentence. */
export type KeychainOpening = { readonly keychain: Keychain } | { readonly missing: string };

export interface SecretStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute. */
  readonly dataDir: string;
  /** Asked when a value is to be sealed or opened, and not before. */
  readonly openKeychain: () => Promise<KeychainOpening>;
  readonly inspect: InspectPath;
  readonly secureBytes: SecureBytes;
}

/**
 * Values go in and come out whole and are never listed. All verbs throw `usage` for what is no id, and `permission_denied` when the
 * directory or a file is not the user's alone.
 */
export interface SecretStore {
  /** Sorted by id. */
  list(): Promise<readonly SecretEntry[]>;
  /**
   * Null: there is none of that id. Throws `secrets_damaged` when its file is not what was written, `credentials_missing` when the key that
   * opens it cannot be had, and `schema_newer`.
   */
  get(id: string): Promise<string | null>;
  /** Replaces what is there, and is durable on return. Throws `usage` or `limit_exceeded` for a value that cannot be kept. */
  set(id: string, value: string): Promise<SetSecret>;
  /** False: there was none. Durable on return. */
  remove(id: string): Promise<boolean>;
}

export function createSecretStore(options: SecretStoreOptions): SecretStore {
  return new FileSecretStore(options);
}

class FileSecretStore implements SecretStore {
  readonly #options: SecretStoreOptions;
  readonly #look: { readonly inspect: InspectPath; readonly words: typeof words };
  readonly #keep: string;
  readonly #directory: string;

  constructor(options: SecretStoreOptions) {
    this.#options = options;
    this.#look = { inspect: options.inspect, words };
    this.#keep = join(options.dataDir, "keep");
    this.#directory = join(this.#keep, "secrets");
  }

  async list(): Promise<readonly SecretEntry[]> {
    const entries: SecretEntry[] = [];
    for (const id of await this.#ids()) {
      const decoded = await this.#load(id);
      if (decoded === null) continue; // removed just now
      entries.push({ id, protection: "secret" in decoded ? decoded.secret.protection : "damaged" });
    }
    return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  async get(id: string): Promise<string | null> {
    checkSecretId(id);
    const secret = await this.#read(id);
    if (secret === null) return null;
    if (secret.protection === "file_mode") return secret.value;
    const opening = await this.#options.openKeychain();
    if ("missing" in opening) throw locked(id, `cannot be had: ${opening.missing}`);
    const key = await this.#key(opening.keychain, secret.key).catch((error: unknown) => {
      throw error instanceof KeychainFailure ? locked(id, `cannot be had: ${error.message}`) : error;
    });
    if (key === null) throw locked(id, "is not in it any more");
    const value = unseal(id, secret, key);
    if (value === null) throw this.#damaged(id, "it does not open with its key");
    return value;
  }

  async set(id: string, value: string): Promise<SetSecret> {
    checkSecretId(id);
    checkValue(value);
    await this.#prepare();
    const path = this.#pathOf(id);
    if (!(await isPrivate(path, "file", this.#look)) && (await this.#ids()).length >= secretsMax) {
      throw new YoiError(
        "limit_exceeded",
        `There are ${secretsMax} secrets, and no more are kept: remove one with \`yoi secret rm\`.`,
      );
    }
    const { secret, reason } = await this.#protect(id, value);
    await this.#options.files.replace(path, encodeSecret(id, secret));
    return { protection: secret.protection, ...(reason === undefined ? {} : { reason }) };
  }

  async remove(id: string): Promise<boolean> {
    checkSecretId(id);
    if (!(await this.#isThere())) return false;
    const { files } = this.#options;
    const name = fileNameOf(id);
    const found = await isPrivate(this.#pathOf(id), "file", this.#look);
    // Also what a killed writer of this id left: the value must be gone.
    for (const left of await leftoversIn(files, this.#directory, name)) await files.removeFile(left);
    await files.removeFile(this.#pathOf(id));
    await files.syncDirectory(this.#directory);
    return found;
  }

  #pathOf(id: string): string {
    return join(this.#directory, fileNameOf(id));
  }

  #isThere(): Promise<boolean> {
    return arePrivate([this.#keep, this.#directory], this.#look);
  }

  async #prepare(): Promise<void> {
    const { files, clock } = this.#options;
    // Looked at before, so that nothing is made behind a link, and after, because others may have been quicker.
    await this.#isThere();
    await files.makeDirectory(this.#directory);
    await this.#isThere();
    await removeOldLeftovers(files, clock, this.#directory);
  }

  async #ids(): Promise<string[]> {
    if (!(await this.#isThere())) return [];
    const names = await this.#options.files.list(this.#directory);
    return names.map(idOfFileName).filter((id) => id !== null);
  }

  /** Null: there is none. */
  async #load(id: string): Promise<DecodedSecret | null> {
    const { files } = this.#options;
    const path = this.#pathOf(id);
    if (!(await isPrivate(path, "file", this.#look))) return null;
    const stat = await files.stat(path);
    if (stat !== null && stat.bytes > secretFileBytesMax)
      return { wrong: `it has more than ${secretFileBytesMax} bytes` };
    const bytes = await files.read(path);
    return bytes === null ? null : decodeSecret(id, bytes);
  }

  async #read(id: string): Promise<StoredSecret | null> {
    if (!(await this.#isThere())) return null;
    const decoded = await this.#load(id);
    if (decoded === null) return null;
    if ("wrong" in decoded) throw this.#damaged(id, decoded.wrong);
    if ("newer" in decoded) {
      const path = this.#pathOf(id);
      throw new YoiError("schema_newer", `The secret ${id} was written by a later yoi: update yoi.`, {
        place: { path },
      });
    }
    return decoded.secret;
  }

  async #protect(
    id: string,
    value: string,
  ): Promise<{ readonly secret: StoredSecret; readonly reason?: string }> {
    const opening = await this.#options.openKeychain();
    const plain = (reason: string) => ({ secret: { protection: "file_mode", value } as const, reason });
    if ("missing" in opening) return plain(opening.missing);
    try {
      const key = (await this.#knownKey(opening.keychain)) ?? (await this.#newKey(opening.keychain));
      return { secret: seal(id, value, key, this.#options.secureBytes) };
    } catch (error) {
      if (error instanceof KeychainFailure) return plain(error.message);
      throw error;
    }
  }

  /** The key of another secret. Two first writers at once make one each, under names of their own: neither takes the other's away. */
  async #knownKey(keychain: Keychain): Promise<{ name: string; bytes: Uint8Array } | null> {
    for (const id of await this.#ids()) {
      const decoded = await this.#load(id);
      if (decoded === null || !("secret" in decoded) || decoded.secret.protection !== "keychain") continue;
      const name = decoded.secret.key;
      const key = await this.#key(keychain, name);
      if (key !== null) return { name, bytes: key };
    }
    return null;
  }

  /** Only what the keychain really kept is used. */
  async #newKey(keychain: Keychain): Promise<{ name: string; bytes: Uint8Array }> {
    const { secureBytes } = this.#options;
    const name = Buffer.from(secureBytes(8)).toString("hex");
    const bytes = secureBytes(keyBytes);
    await keychain.set(name, bytes).catch(failKeychain);
    const kept = await this.#key(keychain, name);
    if (kept === null || Buffer.compare(kept, bytes) !== 0)
      throw new KeychainFailure("it did not keep the key that it was given");
    return { name, bytes };
  }

  async #key(keychain: Keychain, name: string): Promise<Uint8Array | null> {
    const key = await keychain.get(name).catch(failKeychain);
    return key !== null && key.length === keyBytes ? key : null;
  }

  #damaged(id: string, what: string): YoiError {
    const path = this.#pathOf(id);
    return new YoiError(
      "secrets_damaged",
      `The secret ${id} in ${path} is damaged: ${what}; set it again with \`yoi secret set ${id}\`.`,
      { place: { path } },
    );
  }
}

/** The keychain, and not the store, is why something cannot be done. */
class KeychainFailure extends Error {}

function failKeychain(error: unknown): never {
  throw new KeychainFailure(messageOf(error), { cause: error });
}

function locked(id: string, what: string): YoiError {
  return new YoiError(
    "credentials_missing",
    `The secret ${id} is encrypted, and its key in the keychain of the system ${what}; unlock the keychain, or set the secret again with \`yoi secret set ${id}\`.`,
  );
}

function checkValue(value: string): void {
  if (value === "") throw new YoiError("usage", "The value of the secret is empty.");
  if (Buffer.byteLength(value) > secretBytesMax) {
    throw new YoiError(
      "limit_exceeded",
      `The value of the secret has more than ${secretBytesMax} bytes, and no more are kept.`,
    );
  }
  // Keys go into headers, which hold one line; and of a value with lines a tool would show one at a time.
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) {
    throw new YoiError(
      "usage",
      "The value of the secret must be one line of text, without control characters.",
    );
  }
}
