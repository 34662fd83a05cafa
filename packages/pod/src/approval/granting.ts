/** What the user may grant a Pod beyond its configuration, as its setup hands it in. */
import type { Protection } from "@yoi/scope";

/** An answer of the user that counts until it is taken back, as it is kept. */
export interface Grant {
  /** UUID. */
  readonly id: string;
  /** pending: it stands there before the answer is on record, and lets nothing through. */
  readonly state: "pending" | "given";
  readonly rule: string;
  /** Null: it counts in every one. */
  readonly workspace: string | null;
  /** Milliseconds since the epoch; null: until it is taken back. */
  readonly expires: number | null;
  readonly given: number;
  /** What asked, and the digest of what it asked about. */
  readonly pod: string;
  readonly digest: string;
  readonly tool: string;
  readonly about: string;
}

/** Where they are kept, of this moment at each call. Throws YoiErrors. */
export interface GrantBook {
  /** `problems`: of those that cannot be read or trusted, and so grant nothing, a sentence each. */
  list(): Promise<{ readonly grants: readonly Grant[]; readonly problems: readonly string[] }>;
  /** Durable on return; takes the place of that with the same id. */
  put(grant: Grant): Promise<void>;
  remove(id: string): Promise<boolean>;
}

export interface Granting {
  readonly grants: GrantBook;
  /** What no grant lifts. */
  readonly protection: Protection;
  /** Where a path really leads, whatever the scope says of it; null where that cannot be known. Never throws. */
  readonly realPath: (path: string) => { readonly path: string; readonly isDirectory: boolean } | null;
}
