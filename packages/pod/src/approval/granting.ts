/** What the user may grant a Pod beyond its configuration, as its setup hands it in. */
import type { GrantStore } from "@yoi/keep";
import type { Protection } from "@yoi/scope";

export interface Granting {
  readonly grants: GrantStore;
  /** What no grant lifts. */
  readonly protection: Protection;
  /** Where a path really leads, whatever the scope says of it; null where that cannot be known. Never throws. */
  readonly realPath: (path: string) => { readonly path: string; readonly isDirectory: boolean } | null;
}
