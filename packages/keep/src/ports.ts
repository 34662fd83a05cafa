/** What the store of secrets is handed: a keychain, protection of paths, and randomness fit for keys. */

/** Keys in the keychain of the operating system, by name. Both throw when the keychain cannot be asked, with a message for a person. */
export interface Keychain {
  /** Null: it holds no key of that name. */
  get(name: string): Promise<Uint8Array | null>;
  set(name: string, key: Uint8Array): Promise<void>;
}

/** How a path itself is protected; a link is not followed. */
export interface PathProtection {
  readonly kind: "file" | "directory" | "link" | "other";
  /** The permission bits, `0o700`. */
  readonly mode: number;
  /** It belongs to the user of this process. */
  readonly own: boolean;
  /** Another one where anything of the file may have changed since; absent: nobody knows. */
  readonly stamp?: string;
}

/** Null: nothing is there. */
export type InspectPath = (path: string) => Promise<PathProtection | null>;

/** Bytes that nobody can guess. */
export type SecureBytes = (length: number) => Uint8Array;
