/** Read cursor: a place in the stream of records, from its JSON. */
import type { Fields } from "./fields.ts";
import { idCharsMax } from "./limits.ts";
import type { Cursor } from "./snapshot.ts";

export function readCursor(fields: Fields): Cursor {
  return { segment: fields.text("segment", idCharsMax, 1), seq: fields.count("seq") };
}
