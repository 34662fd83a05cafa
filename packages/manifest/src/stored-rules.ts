/** Rules and plain values of stored JSON, read back: what every part of a stored manifest shares. */
import type { JsonValue, ScopeRule } from "@yoi/base";
import { isOneOf } from "./config-values.ts";
import type { FieldReader } from "./field-reader.ts";
import { permissionActions, type PermissionRule } from "./manifest.ts";

export function readScopeRule(rule: FieldReader): ScopeRule {
  return {
    target: rule.field("target", isAbsolutePath),
    permission: rule.field("permission", (value) => isOneOf(value, ["read", "write"])),
    recursive: rule.field("recursive", isBoolean),
    ...rule.optional("shared", isTrue),
  };
}

export function readPermissionRule(rule: FieldReader): PermissionRule {
  return {
    tool: rule.field("tool", isText),
    ...rule.optional("argument", isText),
    pattern: rule.field("pattern", isText),
    action: rule.field("action", (value) => isOneOf(value, permissionActions)),
    origin: rule.field("origin", isText),
  };
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}

export function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

export function isTrue(value: unknown): value is true {
  return value === true;
}

export function isAbsolutePath(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("/");
}

export function isPathList(value: unknown): value is readonly string[] & JsonValue {
  return Array.isArray(value) && value.every(isAbsolutePath);
}
