/** What a reference of an input names. */
import type { Reference } from "@yoi/tools";

export function namedBy(reference: Reference): string {
  return reference.type === "file_ref" ? reference.path : `/${reference.name}`;
}
