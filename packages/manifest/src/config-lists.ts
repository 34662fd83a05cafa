/** The lists of tables in a config file: permission rules and scope rules. */
import type { ScopeRule } from "@yoi/base";
import { listKeys, type ListKey } from "./config-keys.ts";
import type { ConfigSource } from "./config-layer.ts";
import { isOneOf, shown } from "./config-values.ts";
import type { KeyPath } from "./key-lines.ts";
import { permissionActions, type PermissionRule } from "./manifest.ts";
import { mayAllow, resolveTarget } from "./scope-target.ts";
import { patternCharsMax } from "./wildcard.ts";

/** Of one list in one file. */
export const listRulesMax = 256;

/** What a list is read with. `complain` takes the rest of a sentence that begins with the key at `path`. */
export interface ListReader {
  readonly source: ConfigSource;
  readonly complain: (path: KeyPath, rest: string) => void;
  readonly unknownKey: (path: KeyPath, known: readonly string[]) => void;
}

type Table = Readonly<Record<string, unknown>>;

/** The elements of the list that are tables with known keys only; complains of the others. */
function elementsOf(key: ListKey, value: unknown, reader: ListReader): { path: KeyPath; table: Table }[] {
  const path = key.split(".");
  const known: readonly string[] = listKeys[key];
  if (!Array.isArray(value)) {
    reader.complain(path, `must be a list of tables, but is ${shown(value)}`);
    return [];
  }
  if (value.length > listRulesMax) {
    reader.complain(path, `may hold at most ${listRulesMax} rules, but holds ${value.length}`);
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

/** The field if it is as wanted, else null after complaining. */
function fieldOf<T>(
  at: { path: KeyPath; table: Table },
  field: string,
  wanted: { allowed: string; accepts: (value: unknown) => value is T },
  reader: ListReader,
): T | null {
  const value = Object.hasOwn(at.table, field) ? at.table[field] : undefined;
  if (wanted.accepts(value)) return value;
  if (value === undefined) reader.complain(at.path, `needs ${field}: ${wanted.allowed}`);
  else reader.complain([...at.path, field], `must be ${wanted.allowed}, but is ${shown(value)}`);
  return null;
}

const toolName = {
  allowed: 'a tool\'s name, or "*" for any',
  accepts: (value: unknown): value is string =>
    typeof value === "string" && (value === "*" || /^[A-Za-z0-9_-]{1,64}$/.test(value)),
};
const pattern = {
  allowed: `1 to ${patternCharsMax} characters, with * for any text and ? for any character`,
  accepts: (value: unknown): value is string =>
    typeof value === "string" && value !== "" && value.length <= patternCharsMax,
};
const action = {
  allowed: '"allow", "deny" or "ask"',
  accepts: (value: unknown) => isOneOf(value, permissionActions),
};
const targetText = {
  allowed: "a path",
  accepts: (value: unknown): value is string => typeof value === "string",
};
const permission = {
  allowed: '"read" or "write"',
  accepts: (value: unknown) => isOneOf(value, ["read", "write"]),
};
const flag = {
  allowed: "true or false",
  accepts: (value: unknown): value is boolean => typeof value === "boolean",
};

export function readPermissionRules(value: unknown, reader: ListReader): readonly PermissionRule[] {
  const { trust, path: origin } = reader.source;
  return elementsOf("permissions.rule", value, reader).flatMap((at) => {
    const rule = {
      tool: fieldOf(at, "tool", toolName, reader),
      pattern: fieldOf(at, "pattern", pattern, reader),
      action: fieldOf(at, "action", action, reader),
    };
    if (rule.tool === null || rule.pattern === null || rule.action === null) return [];
    if (trust === "project" && rule.action === "allow") {
      reader.complain([...at.path, "action"], `may not be "allow" ${projectRule}`);
      return [];
    }
    return [{ tool: rule.tool, pattern: rule.pattern, action: rule.action, origin }];
  });
}

export function readScopeRules(
  key: "scope.allow" | "scope.deny",
  value: unknown,
  reader: ListReader,
): readonly ScopeRule[] {
  return elementsOf(key, value, reader).flatMap((at) => {
    const written = fieldOf(at, "target", targetText, reader);
    const allowed = fieldOf(at, "permission", permission, reader);
    const recursive = at.table["recursive"] === undefined ? true : fieldOf(at, "recursive", flag, reader);
    if (written === null || allowed === null || recursive === null) return [];
    const target = resolveTarget(written, reader.source);
    if ("mustBe" in target) {
      reader.complain([...at.path, "target"], `must be ${target.mustBe}, but is ${shown(written)}`);
      return [];
    }
    if (key === "scope.allow" && !mayAllow(target.path, reader.source)) {
      reader.complain([...at.path, "target"], `may not lie outside the workspace ${projectRule}`);
      return [];
    }
    return [{ target: target.path, permission: allowed, recursive }];
  });
}

/** Why a file that comes with a workspace may not say something, and what to do instead. */
export const projectRule =
  "in a file that comes with a workspace, which can only narrow what you allow: put it into your own config.toml if you want it";
