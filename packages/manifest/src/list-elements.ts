/** The lists of tables in a config file, element by element and field by field: what every list shares. */
import { listKeys, type ListKey } from "./config-keys.ts";
import type { ConfigSource } from "./config-layer.ts";
import { keyPlace, shown } from "./config-values.ts";
import type { KeyPath } from "./key-lines.ts";

/** Of one list in one file. */
export const listElementsMax = 256;

/** What a list is read with. `complain` takes the rest of a sentence that begins with the key at `path`. */
export interface ListReader {
  readonly source: ConfigSource;
  readonly complain: (path: KeyPath, rest: string) => void;
  readonly unknownKey: (path: KeyPath, known: readonly string[]) => void;
  /** `<path>:<line>` of a key. */
  readonly originOf: (path: KeyPath) => string;
}

type Table = Readonly<Record<string, unknown>>;

/** One element: a table, and where it stands. */
export interface ListElement {
  readonly path: KeyPath;
  readonly table: Table;
}

/** The elements of the list that are tables with known keys only; complains of the others. */
export function elementsOf(key: ListKey, value: unknown, reader: ListReader): ListElement[] {
  const path = key.split(".");
  const known: readonly string[] = listKeys[key];
  if (!Array.isArray(value)) {
    reader.complain(path, `must be a list of tables, but is ${shown(value)}`);
    return [];
  }
  if (value.length > listElementsMax) {
    reader.complain(path, `may hold at most ${listElementsMax} elements, but holds ${value.length}`);
    return [];
  }
  return value.flatMap((element: unknown, index) => {
    const at = [...path, index];
    if (
      typeof element !== "object" ||
      element === null ||
      Array.isArray(element) ||
      element instanceof Date
    ) {
      reader.complain(at, `must be a table with the keys ${known.join(", ")}, but is ${shown(element)}`);
      return [];
    }
    const table = element as Table;
    const unknown = Object.keys(table).filter((field) => !known.includes(field));
    for (const field of unknown) reader.unknownKey([...at, field], known);
    return unknown.length === 0 ? [{ path: at, table }] : [];
  });
}

export interface FieldSpec<T> {
  /** Ends the sentence "<key> must be ...". */
  readonly allowed: string;
  readonly accepts: (value: unknown) => value is T;
  /** Of a field into which a credential might be written by mistake: the value is never shown, and where it belongs is. */
  readonly nearKeys?: boolean;
}

/** The field if it is as wanted, else null after complaining. */
export function fieldOf<T>(
  at: ListElement,
  field: string,
  wanted: FieldSpec<T>,
  reader: ListReader,
): T | null {
  const value = Object.hasOwn(at.table, field) ? at.table[field] : undefined;
  if (wanted.accepts(value)) return value;
  if (value === undefined) reader.complain(at.path, `needs ${field}: ${wanted.allowed}`);
  else reader.complain([...at.path, field], mismatch(wanted, value));
  return null;
}

/** "must be ...", about a value that is something else. */
export function mismatch(
  { allowed, nearKeys }: { readonly allowed: string; readonly nearKeys?: boolean },
  value: unknown,
): string {
  return nearKeys === true ? `must be ${allowed}; ${keyPlace}` : `must be ${allowed}, but is ${shown(value)}`;
}

/** The same of a field that may be left out: then it is undefined. */
export function optionalFieldOf<T>(
  at: ListElement,
  field: string,
  wanted: FieldSpec<T>,
  reader: ListReader,
): T | null | undefined {
  return Object.hasOwn(at.table, field) ? fieldOf(at, field, wanted, reader) : undefined;
}

/** Why a file that comes with a workspace may not say something, and what to do instead. */
export const projectRule =
  "in a file that comes with a workspace, which can only narrow what you allow: put it into your own config.toml if you want it";
