/** The lists of rules in a config file: permission rules and scope rules. */
import { type ScopeRule, toolNamePattern } from "@yoi/base";
import { isOneOf, shown } from "./config-values.ts";
import { elementsOf, fieldOf, optionalFieldOf, projectRule, type ListReader } from "./list-elements.ts";
import { permissionActions, type PermissionRule } from "./manifest.ts";
import { refusalToAllow, refusalToShare, resolveTarget } from "./scope-target.ts";
import { patternCharsMax } from "./wildcard.ts";

const toolName = {
  allowed: 'a tool\'s name, or "*" for any',
  accepts: (value: unknown): value is string =>
    typeof value === "string" && (value === "*" || toolNamePattern.test(value)),
};
const argumentName = {
  allowed: 'the name of one of the tool\'s arguments (letters, digits, "_" and "-", at most 64)',
  accepts: (value: unknown): value is string =>
    typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value),
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
      argument: optionalFieldOf(at, "argument", argumentName, reader),
      pattern: fieldOf(at, "pattern", pattern, reader),
      action: fieldOf(at, "action", action, reader),
    };
    const { tool: name, argument, pattern: text, action: verb } = rule;
    if (name === null || argument === null || text === null || verb === null) return [];
    if (trust === "project" && verb === "allow") {
      reader.complain([...at.path, "action"], `may not be "allow" ${projectRule}`);
      return [];
    }
    return [{ tool: name, ...(argument !== undefined && { argument }), pattern: text, action: verb, origin }];
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
    const shared = optionalFieldOf(at, "shared", flag, reader);
    if (written === null || allowed === null || recursive === null || shared === null) return [];
    const mayNotShare = shared === true ? refusalToShare(allowed, reader.source) : null;
    if (mayNotShare !== null) {
      reader.complain([...at.path, "shared"], mayNotShare);
      return [];
    }
    const target = resolveTarget(written, reader.source);
    if ("mustBe" in target) {
      reader.complain([...at.path, "target"], `must be ${target.mustBe}, but is ${shown(written)}`);
      return [];
    }
    const refusal = key === "scope.allow" ? refusalToAllow(written, target.path, reader.source) : null;
    if (refusal !== null) {
      reader.complain([...at.path, "target"], refusal);
      return [];
    }
    return [{ target: target.path, permission: allowed, recursive, ...(shared === true && { shared }) }];
  });
}
